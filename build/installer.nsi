; The installer of QHub Desktop. make.py compiles it:
;   makensis /DVERSION=1.2.3 /DSOURCE=folder /DTARGET=setup.exe /DSIZE_KB=500000 installer.nsi
;
; Without administrator rights it installs for the person, with /ALLUSERS (elevated) for everybody.
; /ASSOCIATE puts it among the programs that Windows offers to open tables with, never in another one's
; place. /S is silent, /D=folder (last) chooses another folder. An older version is replaced in its place;
; data lie elsewhere and are never touched by an installation. /RESTART is the program's own, when it
; brings itself up to date: it says what goes on, and starts the program again whatever comes of it.

Unicode true
SetCompressor /SOLID lzma
SetCompressorDictSize 64
ManifestDPIAware true
ManifestSupportedOS all
RequestExecutionLevel user ; whoever installs for everybody starts it as an administrator

!include "MUI2.nsh"
!include "FileFunc.nsh"
!include "LogicLib.nsh"
!include "Sections.nsh"
!include "Win\COM.nsh"
!include "Win\Propkey.nsh"
!include "x64.nsh"

!define NAME "QHub Desktop"
!define ENTRY "Software\Microsoft\Windows\CurrentVersion\Uninstall\QHubDesktop"
!define APP_ID "QHub.Desktop" ; as ui/desktop.py tells Windows
!define CLASSES "Software\Classes"
!define OPENER "QHub.Table" ; the name under which files are opened
!define WAIT_MS 500
!define ATTEMPTS 60 ; half a minute for the program to store what it has and end

Name "${NAME}"
OutFile "${TARGET}"
InstallDir "" ; chosen in .onInit, unless /D was given
BrandingText "${NAME} ${VERSION}"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "${NAME}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "${NAME} ${VERSION}"
VIAddVersionKey "LegalCopyright" ""
!ifdef ICON
  !define MUI_ICON "${ICON}"
  !define MUI_UNICON "${ICON}"
!endif

Var ForEverybody ; 1 or 0
Var Restart ; 1: the program has started this, and wants to be started again
Var WithData ; 1: the uninstaller was told to remove the person's data, too

!define MUI_FINISHPAGE_RUN "$INSTDIR\qhub-desktop.exe"
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "Portuguese"
!insertmacro MUI_LANGUAGE "English"

LangString Running ${LANG_PORTUGUESE} "O QHub Desktop está aberto. Feche-o (nada se perde) e prima Repetir."
LangString Running ${LANG_ENGLISH} "QHub Desktop is open. Close it (nothing is lost), then press Retry."
LangString NotAdmin ${LANG_PORTUGUESE} "Para instalar para todos (/ALLUSERS), execute como administrador."
LangString NotAdmin ${LANG_ENGLISH} "To install for everybody (/ALLUSERS), run it as an administrator."
LangString Only64 ${LANG_PORTUGUESE} "O QHub Desktop precisa do Windows 10 ou 11 de 64 bits."
LangString Only64 ${LANG_ENGLISH} "QHub Desktop needs Windows 10 or 11, 64 bit."
LangString NotWritable ${LANG_PORTUGUESE} "Não se consegue escrever em $INSTDIR."
LangString NotWritable ${LANG_ENGLISH} "Nothing can be written to $INSTDIR."
LangString AskData ${LANG_PORTUGUESE} "Apagar também as conversas, os dados carregados e as definições desta pessoa? Não há volta atrás."
LangString AskData ${LANG_ENGLISH} "Delete this person's conversations, loaded data and settings, too? This cannot be undone."

LangString Updating ${LANG_PORTUGUESE} "O QHub Desktop está a ser atualizado e volta a abrir."
LangString Updating ${LANG_ENGLISH} "QHub Desktop is being updated, and opens again."

LangString Associate ${LANG_PORTUGUESE} "Abrir com QHub: .xlsx, .xls, .csv, .tsv"
LangString Associate ${LANG_ENGLISH} "Open with QHub: .xlsx, .xls, .csv, .tsv"

; Do the same for every kind of file. In Windows' list of programs to open a file with, it is one of
; several: the default stays whose it is.
!macro ForEachKind DO
  !insertmacro ${DO} ".xlsx"
  !insertmacro ${DO} ".xls"
  !insertmacro ${DO} ".csv"
  !insertmacro ${DO} ".tsv"
!macroend

!macro OfferFor KIND
  WriteRegStr SHCTX "${CLASSES}\${KIND}\OpenWithProgids" "${OPENER}" ""
  WriteRegStr SHCTX "${CLASSES}\Applications\qhub-desktop.exe\SupportedTypes" "${KIND}" ""
!macroend

; Only our own value goes: others stand in the same key.
!macro OfferNoMoreFor KIND
  DeleteRegValue SHCTX "${CLASSES}\${KIND}\OpenWithProgids" "${OPENER}"
!macroend

!macro OfferNoMore
  !insertmacro ForEachKind OfferNoMoreFor
  DeleteRegKey SHCTX "${CLASSES}\Applications\qhub-desktop.exe"
  DeleteRegKey SHCTX "${CLASSES}\${OPENER}"
  !insertmacro TellExplorer
!macroend

!macro TellExplorer
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)' ; SHCNE_ASSOCCHANGED
!macroend

; Windows gathers the windows of a program under the shortcut that has the same name as they have.
Function NameShortcut
  StrCpy $2 0
  StrCpy $3 0
  !insertmacro ComHlpr_CreateInProcInstance ${CLSID_ShellLink} ${IID_IShellLink} r1 ""
  ${If} $1 P= 0
    Return
  ${EndIf}
  ${IUnknown::QueryInterface} $1 '("${IID_IPersistFile}", .r2)'
  ${IUnknown::QueryInterface} $1 '("${IID_IPropertyStore}", .r3)'
  ${If} $2 P<> 0
  ${AndIf} $3 P<> 0
    ${IPersistFile::Load} $2 '("$SMPROGRAMS\${NAME}.lnk", ${STGM_READWRITE})'
    System::Call '*(&w64 "${APP_ID}")p.r4'
    System::Call '*${SYSSTRUCT_PROPERTYKEY}(${PKEY_AppUserModel_ID})p.r5'
    System::Call '*${SYSSTRUCT_PROPVARIANT}(${VT_LPWSTR},,&i8 $4)p.r6'
    ${IPropertyStore::SetValue} $3 '($5, $6)'
    ${IPropertyStore::Commit} $3 ""
    ${IPersistFile::Save} $2 '("$SMPROGRAMS\${NAME}.lnk", 1)'
    System::Free $6
    System::Free $5
    System::Free $4
  ${EndIf}
  !insertmacro ComHlpr_SafeRelease $3
  !insertmacro ComHlpr_SafeRelease $2
  !insertmacro ComHlpr_SafeRelease $1
FunctionEnd

; End with an exit code; before that, give the person the program back that they had started.
!macro EndWith CODE
  Call StartAgain
  SetErrorLevel ${CODE}
  Quit
!macroend

Function StartAgain
  ${If} $Restart = 1
    Banner::destroy
    ${If} ${FileExists} "$INSTDIR\qhub-desktop.exe"
      Exec '"$INSTDIR\qhub-desktop.exe"'
    ${EndIf}
  ${EndIf}
FunctionEnd

; Wait until no program of the folder runs: Windows lets nobody open a running program for writing.
; Closing is asked of its window (WM_CLOSE, as the person's own click), never forced.
!macro UntilClosed UN
Function ${UN}UntilClosed
  StrCpy $R1 0
  again:
    StrCpy $R2 0
    !insertmacro CountIfOpen "$INSTDIR\qhub-desktop.exe"
    !insertmacro CountIfOpen "$INSTDIR\qhub.exe"
    ${If} $R2 = 0
      Return
    ${EndIf}
    ${If} $R1 = 0
      ; By its own title: Qt names the class of its windows after its version.
      FindWindow $R3 "" "${NAME}"
      ${If} $R3 <> 0
        SendMessage $R3 ${WM_CLOSE} 0 0 /TIMEOUT=5000
      ${EndIf}
    ${EndIf}
    IntOp $R1 $R1 + 1
    Sleep ${WAIT_MS}
    ${If} $R1 < ${ATTEMPTS}
      Goto again
    ${EndIf}
    ${If} ${Silent}
      !insertmacro ${UN}EndStillOpen
    ${EndIf}
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(Running)" IDRETRY once_more
    SetErrorLevel 3
    Quit
  once_more:
    StrCpy $R1 0
    Goto again
FunctionEnd
!macroend

!macro EndStillOpen
  !insertmacro EndWith 3
!macroend

!macro un.EndStillOpen
  SetErrorLevel 3
  Quit
!macroend

!macro CountIfOpen FILE
  ${If} ${FileExists} "${FILE}"
    ClearErrors
    FileOpen $R4 "${FILE}" a
    ${If} ${Errors}
      IntOp $R2 $R2 + 1
    ${Else}
      FileClose $R4
    ${EndIf}
  ${EndIf}
!macroend

!insertmacro UntilClosed ""
!insertmacro UntilClosed "un."

Section "${NAME}" program
  SectionIn RO
  Call UntilClosed
  ; What an older version had and this one has not would be loaded by it: libraries go first.
  ; Only folders and files of the program's own: the chosen folder may hold something else.
  RMDir /r "$INSTDIR\_internal"
  RMDir /r "$INSTDIR\licences"
  ClearErrors
  SetOutPath "$INSTDIR"
  File /r "${SOURCE}\*.*"
  ${If} ${Errors}
    MessageBox MB_ICONSTOP "$(NotWritable)" /SD IDOK
    !insertmacro EndWith 2
  ${EndIf}
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\qhub-desktop.exe"
  Call NameShortcut
  WriteRegStr SHCTX "${ENTRY}" "DisplayName" "${NAME}"
  WriteRegStr SHCTX "${ENTRY}" "DisplayVersion" "${VERSION}"
  WriteRegStr SHCTX "${ENTRY}" "DisplayIcon" "$INSTDIR\qhub-desktop.exe"
  WriteRegStr SHCTX "${ENTRY}" "InstallLocation" "$INSTDIR"
  WriteRegStr SHCTX "${ENTRY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr SHCTX "${ENTRY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD SHCTX "${ENTRY}" "EstimatedSize" ${SIZE_KB}
  WriteRegDWORD SHCTX "${ENTRY}" "NoModify" 1
  WriteRegDWORD SHCTX "${ENTRY}" "NoRepair" 1
  !insertmacro OfferNoMore ; unless the next section is chosen
SectionEnd

Section /o "$(Associate)" associate
  StrCpy $R1 '"$INSTDIR\qhub-desktop.exe" "%1"'
  WriteRegStr SHCTX "${CLASSES}\${OPENER}" "" "${NAME}"
  WriteRegStr SHCTX "${CLASSES}\${OPENER}\shell\open\command" "" $R1
  WriteRegStr SHCTX "${CLASSES}\Applications\qhub-desktop.exe" "FriendlyAppName" "${NAME}"
  WriteRegStr SHCTX "${CLASSES}\Applications\qhub-desktop.exe\shell\open\command" "" $R1
  !insertmacro ForEachKind OfferFor
  !insertmacro TellExplorer
SectionEnd

; Behind the sections, which it names.
Function .onInit
  ${IfNot} ${RunningX64}
    MessageBox MB_ICONSTOP "$(Only64)" /SD IDOK
    SetErrorLevel 4
    Quit
  ${EndIf}
  SetRegView 64
  StrCpy $ForEverybody 0
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "/ALLUSERS" $R1
  ${IfNot} ${Errors}
    UserInfo::GetAccountType
    Pop $R1
    ${If} $R1 != "Admin"
      MessageBox MB_ICONSTOP "$(NotAdmin)" /SD IDOK
      SetErrorLevel 5
      Quit
    ${EndIf}
    StrCpy $ForEverybody 1
  ${EndIf}
  Call ChooseFolder
  ; An upgrade leaves it as it was.
  ReadRegStr $R1 SHCTX "${CLASSES}\${OPENER}" ""
  ${If} $R1 != ""
    !insertmacro SelectSection ${associate}
  ${EndIf}
  ClearErrors
  ${GetOptions} $R0 "/ASSOCIATE" $R1
  ${IfNot} ${Errors}
    !insertmacro SelectSection ${associate}
  ${EndIf}
  StrCpy $Restart 0
  ClearErrors
  ${GetOptions} $R0 "/RESTART" $R1
  ${IfNot} ${Errors}
    StrCpy $Restart 1
    Banner::show "$(Updating)"
  ${EndIf}
FunctionEnd

Function .onInstSuccess
  Call StartAgain
FunctionEnd

Function ChooseFolder
  ; An upgrade goes where the version before it is.
  ${If} $ForEverybody = 1
    SetShellVarContext all
    ReadRegStr $R1 HKLM "${ENTRY}" "InstallLocation"
    StrCpy $R2 "$PROGRAMFILES64\${NAME}"
  ${Else}
    SetShellVarContext current
    ReadRegStr $R1 HKCU "${ENTRY}" "InstallLocation"
    StrCpy $R2 "$LOCALAPPDATA\Programs\${NAME}"
  ${EndIf}
  ${If} $INSTDIR != ""
    Return
  ${EndIf}
  ${If} $R1 != ""
    StrCpy $INSTDIR $R1
  ${Else}
    StrCpy $INSTDIR $R2
  ${EndIf}
FunctionEnd

Function un.onInit
  SetRegView 64
  SetShellVarContext current
  ReadRegStr $R1 HKLM "${ENTRY}" "InstallLocation"
  ${If} $R1 == $INSTDIR
    SetShellVarContext all
  ${EndIf}
  ; Silently, data stay unless /DATA says otherwise.
  StrCpy $WithData 0
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "/DATA" $R1
  ${IfNot} ${Errors}
    StrCpy $WithData 1
  ${ElseIfNot} ${Silent}
    MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "$(AskData)" IDNO keep
    StrCpy $WithData 1
    keep:
  ${EndIf}
FunctionEnd

Section "un.program"
  Call un.UntilClosed
  RMDir /r "$INSTDIR\_internal"
  RMDir /r "$INSTDIR\python" ; the packs of the safe Python and of OCR, by their own installers
  RMDir /r "$INSTDIR\python.new"
  RMDir /r "$INSTDIR\python.old"
  RMDir /r "$INSTDIR\ocr"
  RMDir /r "$INSTDIR\ocr.new"
  RMDir /r "$INSTDIR\ocr.old"
  RMDir /r "$INSTDIR\licences"
  Delete "$INSTDIR\qhub-desktop.exe"
  Delete "$INSTDIR\qhub.exe"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR" ; stays where it holds anything else, such as a policy
  Delete "$SMPROGRAMS\${NAME}.lnk"
  DeleteRegKey SHCTX "${ENTRY}"
  !insertmacro OfferNoMore
  ${If} $WithData = 1
    SetShellVarContext current
    RMDir /r "$LOCALAPPDATA\QHub"
  ${EndIf}
SectionEnd
