import type { Table } from "../../../i18n/table"

type Word =
  | "title" | "tree" | "none" | "save" | "saved" | "unsaved" | "discard" | "discardText" | "discardAction" | "changed" | "reload" | "overwrite" | "noText"
  | "download" | "zip" | "more" | "rename" | "duplicate" | "newFile" | "newFolder" | "delete" | "deleteFile" | "deleteFolder" | "name" | "path" | "back"
  | "asText" | "asTable" | "truncated" | "sheet" | "editor" | "empty" | "search" | "link"

/** What the dialog of files says. */
export const words: Table<Word> = {
  en: {
    title: "Files", tree: "Folders and files", none: "Choose a file to look at it or to change it.", save: "Save", saved: "{{name}} was saved.",
    unsaved: "not saved", discard: "Discard your changes?", discardText: "What you changed in {{name}} is not saved.", discardAction: "Discard",
    changed: "{{name}} was changed by something else since you opened it. Nothing was written.", reload: "Load what is there", overwrite: "Save mine over it",
    noText: "{{name}} is no text that can be shown here.", download: "Download", zip: "Download as ZIP", more: "More about {{name}}", rename: "Rename or move…",
    duplicate: "Duplicate", newFile: "New file…", newFolder: "New folder…", delete: "Delete…", deleteFile: "Delete {{name}}?",
    deleteFolder: "Delete {{name}} with all that it holds?", name: "Name", path: "Path", back: "Back to the folders", asText: "As text", asTable: "As a table",
    truncated: "Only the beginning is shown.", sheet: "Sheet", editor: "Content of {{name}}", empty: "Empty", search: "Find a file", link: "Copy a link for a day",
  },
  zh: {
    title: "文件", tree: "文件夹与文件", none: "选择一个文件进行查看或修改。", save: "保存", saved: "{{name}} 已保存。",
    unsaved: "未保存", discard: "放弃修改？", discardText: "{{name}} 中的修改尚未保存。", discardAction: "放弃",
    changed: "{{name}} 在打开之后被其他操作修改过，没有写入任何内容。", reload: "载入现有内容", overwrite: "用我的内容覆盖",
    noText: "{{name}} 不是可以在这里显示的文本。", download: "下载", zip: "下载为 ZIP", more: "{{name}} 的更多操作", rename: "重命名或移动…",
    duplicate: "创建副本", newFile: "新建文件…", newFolder: "新建文件夹…", delete: "删除…", deleteFile: "删除 {{name}}？",
    deleteFolder: "删除 {{name}} 及其全部内容？", name: "名称", path: "路径", back: "返回文件夹", asText: "作为文本", asTable: "作为表格",
    truncated: "只显示开头部分。", sheet: "工作表", editor: "{{name}} 的内容", empty: "空", search: "查找文件", link: "复制一天有效的链接",
  },
}
