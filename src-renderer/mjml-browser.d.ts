/** The part of it that is used; @types/mjml-browser describes version 5, whose build for browsers lacks its own dependencies. */
declare module 'mjml-browser' {
  export default function mjml2html(
    mjml: string,
    options: { validationLevel: 'skip' | 'soft' | 'strict'; keepComments: boolean }
  ): { html: string }
}
