import { app } from 'electron'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** Only an installed application can be found again at the next login. */
export function mayOpenAtLogin(): boolean {
  return app.isPackaged && !isPortable()
}

/** True for Windows' portable program, which unpacks itself into another folder each time. */
export function isPortable(): boolean {
  return process.env['PORTABLE_EXECUTABLE_FILE'] !== undefined
}

export function isOpenedAtLogin(): boolean {
  return process.platform === 'linux' ? existsSync(autostartEntry()) : app.getLoginItemSettings().openAtLogin
}

export function openAtLogin(opens: boolean): void {
  // Electron supports only macOS and Windows here.
  if (process.platform !== 'linux') return app.setLoginItemSettings({ openAtLogin: opens })
  if (!opens) return rmSync(autostartEntry(), { force: true })
  mkdirSync(dirname(autostartEntry()), { recursive: true })
  writeFileSync(
    autostartEntry(),
    `[Desktop Entry]\nType=Application\nName=Listwright\nExec=${quoted(programFile())}\nX-GNOME-Autostart-enabled=true\n`
  )
}

/** Returns the file that starts the application: of an AppImage the file itself, not the mounted program. */
export function programFile(): string {
  return process.env['APPIMAGE'] ?? app.getPath('exe')
}

/** freedesktop.org, "Desktop Entry Specification", "The Exec key". */
function quoted(program: string): string {
  return `"${program.replaceAll(/["`$\\]/g, '\\\\$&').replaceAll('%', '%%')}"`
}

/** freedesktop.org, "Desktop Application Autostart Specification". */
function autostartEntry(): string {
  const config = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config')
  return join(config, 'autostart', 'app.listwright.Listwright.desktop')
}
