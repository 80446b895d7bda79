import type { Table } from "./table"

const en = {
  media: "Pictures, sound and video",
  image: "pictures: {{n}}",
  speech: "characters of speech: {{n}}",
  video: "seconds of video: {{n}}",
  transcription: "seconds of transcription: {{n}}",
  realtime: "seconds of realtime voice: {{n}}",
}

export type MediaWord = keyof typeof en

export const mediaWords: Table<MediaWord> = {
  en,
  zh: {
    media: "图片、语音和视频",
    image: "{{n}} 张图片",
    speech: "{{n}} 个语音字符",
    video: "{{n}} 秒视频",
    transcription: "{{n}} 秒转写",
    realtime: "{{n}} 秒实时语音",
  },
}
