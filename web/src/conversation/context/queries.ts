/** Where the query client keeps what is known of a conversation's context: how full it is, or all of it. */
export const contextKey = (session: string, part: "fill" | "panel") => ["context", session, part]
