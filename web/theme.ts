// Light or dark: as the system says until somebody chooses. Nothing is stored: a page leaves no traces.

const systemIsDark = window.matchMedia("(prefers-color-scheme: dark)");

export function isDark(): boolean {
  const theme = document.documentElement.dataset.theme;
  return theme === "light" || theme === "dark" ? theme === "dark" : systemIsDark.matches;
}

/** From light to dark or back; what the system has is called auto, and follows it from then on. */
export function toggleTheme(): void {
  const wanted = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = (wanted === "dark") === systemIsDark.matches ? "auto" : wanted;
}

/** Calls back when the colours have changed, whoever changed them. */
export function onThemeChange(changed: () => void): void {
  new MutationObserver(changed).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  systemIsDark.addEventListener("change", changed);
}
