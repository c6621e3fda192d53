; What the installer of Windows does beside electron-builder's own script.
;
; "Open with" offers Listwright for files of subscribers. electron-builder's own associations are not used: they would
; take the double click from the program that people have for these files.

!define importClass "Listwright.Import"

!macro customInstall
  WriteRegStr SHELL_CONTEXT "Software\Classes\${importClass}" "" "Import into Listwright"
  WriteRegStr SHELL_CONTEXT "Software\Classes\${importClass}\DefaultIcon" "" "$appExe,0"
  WriteRegStr SHELL_CONTEXT "Software\Classes\${importClass}\shell\open\command" "" '"$appExe" "%1"'
  WriteRegNone SHELL_CONTEXT "Software\Classes\.csv\OpenWithProgids" "${importClass}"
  WriteRegNone SHELL_CONTEXT "Software\Classes\.tsv\OpenWithProgids" "${importClass}"
  !insertmacro tellExplorer
!macroend

!macro customUnInstall
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.csv\OpenWithProgids" "${importClass}"
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.tsv\OpenWithProgids" "${importClass}"
  DeleteRegKey SHELL_CONTEXT "Software\Classes\${importClass}"
  !insertmacro tellExplorer
!macroend

; SHCNE_ASSOCCHANGED: what files are opened with has changed.
!macro tellExplorer
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
!macroend
