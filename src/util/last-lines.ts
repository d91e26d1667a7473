/** The end of what a program printed: where it says why it failed. */
export const lastLines = (text: string, count = 12): string => text.trimEnd().split('\n').slice(-count).join('\n')
