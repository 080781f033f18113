// An edit that cannot be understood, or not be done here: what is wrong, where, and what to do about it.

export class EditError extends Error {
  constructor(
    message: string,
    readonly position: number, // character of the edit, from 0
    readonly hint = "",
    public edit = "", // as written
  ) {
    super(message);
  }
}

/** What goes beyond the page is no mistake: the engine can do it. */
export const USE_THE_COMMAND = "use the command: orrery whatif";
