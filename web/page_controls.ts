// What the page's own controls do that need no events: theme, help, copying.
import { toggleTheme } from "./theme";

export function toggleHelp(): void {
  const dialog = document.querySelector<HTMLDialogElement>("dialog#keys");
  if (!dialog) return;
  if (dialog.open) dialog.close();
  else dialog.showModal();
}

/** The clipboard is touched on a click only. Where the browser refuses, the text is selected, so that Ctrl+C does it. */
async function copyText(source: HTMLElement, button: HTMLElement): Promise<void> {
  const said = button.textContent;
  try {
    await navigator.clipboard.writeText(source.textContent ?? "");
    button.textContent = "copied";
  } catch {
    window.getSelection()?.selectAllChildren(source);
    button.textContent = "press Ctrl+C";
  }
  window.setTimeout(() => (button.textContent = said), 1500);
}

export function startControls(): void {
  document.querySelector("#theme")?.addEventListener("click", toggleTheme);
  document.querySelector("#help")?.addEventListener("click", toggleHelp);
  const dialog = document.querySelector<HTMLDialogElement>("dialog#keys");
  // A click on the backdrop has the dialog itself as its target.
  dialog?.addEventListener("click", e => {
    if (e.target === dialog) dialog.close();
  });
  const copy = document.querySelector<HTMLElement>("#whatif-copy");
  const command = document.querySelector<HTMLElement>("#whatif-command");
  if (copy && command) copy.addEventListener("click", () => void copyText(command, copy));
}
