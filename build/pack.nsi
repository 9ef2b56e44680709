; The installer of a pack, for a program that is installed. make.py compiles it for each:
;   makensis /DPACK=python /DVERSION=1.2.3 /DSOURCE=folder /DTARGET=setup.exe pack.nsi
;
; It goes where the program is: the person's own, or with /ALLUSERS (elevated) everybody's. /S is silent,
; /D=folder (last) names the program's folder. The program may be open; while code of a model runs in the
; safe Python, or scans are read, the files are held, which is waited for. The program's uninstaller
; removes the pack as well.

Unicode true
SetCompressor /SOLID lzma
SetCompressorDictSize 64
ManifestDPIAware true
ManifestSupportedOS all
RequestExecutionLevel user ; whoever installs for everybody starts it as an administrator

!include "MUI2.nsh"
!include "FileFunc.nsh"
!include "LogicLib.nsh"
!include "x64.nsh"

!ifndef PACK
  !define PACK "python"
!endif
!if "${PACK}" == "ocr"
  !define TITLE "OCR"
!else
  !define TITLE "Python"
!endif
!define NAME "QHub Desktop"
!define ENTRY "Software\Microsoft\Windows\CurrentVersion\Uninstall\QHubDesktop"
!define WAIT_MS 500
!define ATTEMPTS 80 ; 40 s: code runs for 30 at most

Name "${NAME}: ${TITLE}"
OutFile "${TARGET}"
InstallDir "" ; where the program is, unless /D was given
BrandingText "${NAME} ${VERSION}"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "${NAME}: ${TITLE}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "${NAME} ${VERSION}: ${TITLE}"
VIAddVersionKey "LegalCopyright" ""
!ifdef ICON
  !define MUI_ICON "${ICON}"
!endif

!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_LANGUAGE "Portuguese"
!insertmacro MUI_LANGUAGE "English"

LangString Held ${LANG_PORTUGUESE} "O pacote ${TITLE} do QHub Desktop está a ser usado. Feche o QHub Desktop (nada se perde) e prima Repetir."
LangString Held ${LANG_ENGLISH} "The pack ${TITLE} of QHub Desktop is in use. Close QHub Desktop (nothing is lost), then press Retry."
LangString NoProgram ${LANG_PORTUGUESE} "O QHub Desktop não está instalado. Instale-o primeiro, ou indique a pasta dele com /D."
LangString NoProgram ${LANG_ENGLISH} "QHub Desktop is not installed. Install it first, or name its folder with /D."
LangString NotAdmin ${LANG_PORTUGUESE} "Para instalar para todos (/ALLUSERS), execute como administrador."
LangString NotAdmin ${LANG_ENGLISH} "To install for everybody (/ALLUSERS), run it as an administrator."
LangString NotWritable ${LANG_PORTUGUESE} "Não se consegue escrever em $INSTDIR."
LangString NotWritable ${LANG_ENGLISH} "Nothing can be written to $INSTDIR."

Section "${TITLE}"
  SetOutPath "$INSTDIR"
  RMDir /r "$INSTDIR\${PACK}.new" ; of an installation that was ended
  RMDir /r "$INSTDIR\${PACK}.old" ; of one whose files were still held
  ClearErrors
  SetOutPath "$INSTDIR\${PACK}.new"
  File /r "${SOURCE}\*.*"
  ${If} ${Errors}
    SetOutPath "$INSTDIR"
    RMDir /r "$INSTDIR\${PACK}.new"
    MessageBox MB_ICONSTOP "$(NotWritable)" /SD IDOK
    SetErrorLevel 2
    Quit
  ${EndIf}
  SetOutPath "$INSTDIR" ; a folder that is the current one cannot be renamed
  StrCpy $R1 0
  again:
    ; Files that are mapped by a process hold their folder; it goes as a whole or not at all.
    ClearErrors
    ${If} ${FileExists} "$INSTDIR\${PACK}\*.*"
      Rename "$INSTDIR\${PACK}" "$INSTDIR\${PACK}.old"
    ${EndIf}
    ${IfNot} ${Errors}
      Rename "$INSTDIR\${PACK}.new" "$INSTDIR\${PACK}"
    ${EndIf}
    ${IfNot} ${Errors}
      Goto done
    ${EndIf}
    IntOp $R1 $R1 + 1
    Sleep ${WAIT_MS}
    ${If} $R1 < ${ATTEMPTS}
      Goto again
    ${EndIf}
    ${IfNot} ${Silent}
      StrCpy $R1 0
      MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(Held)" IDRETRY again
    ${EndIf}
    RMDir /r "$INSTDIR\${PACK}.new"
    SetErrorLevel 3
    Quit
  done:
  RMDir /r "$INSTDIR\${PACK}.old"
SectionEnd

Function .onInit
  SetRegView 64
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "/ALLUSERS" $R1
  ${If} ${Errors}
    ReadRegStr $R2 HKCU "${ENTRY}" "InstallLocation"
    ${If} $R2 == ""
      ReadRegStr $R2 HKLM "${ENTRY}" "InstallLocation"
    ${EndIf}
  ${Else}
    UserInfo::GetAccountType
    Pop $R1
    ${If} $R1 != "Admin"
      MessageBox MB_ICONSTOP "$(NotAdmin)" /SD IDOK
      SetErrorLevel 5
      Quit
    ${EndIf}
    ReadRegStr $R2 HKLM "${ENTRY}" "InstallLocation"
  ${EndIf}
  ${If} $INSTDIR == ""
    StrCpy $INSTDIR $R2
  ${EndIf}
  ${IfNot} ${FileExists} "$INSTDIR\qhub-desktop.exe"
    MessageBox MB_ICONSTOP "$(NoProgram)" /SD IDOK
    SetErrorLevel 6
    Quit
  ${EndIf}
FunctionEnd
