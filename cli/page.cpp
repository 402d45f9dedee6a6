#include "page.h"

#include <cstdint>

namespace tenon::cli {
namespace {

constexpr const char* kStyle = R"css(
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
 font:14px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}
:root{--page:#f4f6f8;--best:#dff3e4;--bad:#b3261e;--badpaper:#fdecea}
@media(prefers-color-scheme:dark){:root{--page:#0f1216;--best:#163a25;--bad:#ff9d94;
 --badpaper:#3a1c1a}}
main{max-width:1320px;margin:0 auto;padding:28px 24px 48px}
header{display:flex;gap:28px;align-items:center;margin-bottom:20px}
header img{width:300px;height:225px;border-radius:10px;flex:none}
h1{margin:0 0 4px;font-size:26px;line-height:1.2}
h2{margin:32px 0 12px;font-size:17px}
p{margin:6px 0;max-width:82ch}
.quiet,.remark{color:var(--quiet)}
.remark{font-size:13px;max-width:none}
code{font:12.5px ui-monospace,'DejaVu Sans Mono',monospace}
.card{background:var(--paper);border:1px solid var(--rule);border-radius:10px}
.banner{background:var(--badpaper);color:var(--bad);border-radius:8px;padding:8px 14px;
 margin:12px 0;font-weight:600}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:6px 12px;text-align:right;white-space:nowrap}
th{font-weight:500;color:var(--quiet);font-size:12.5px}
thead tr:first-child:not(:last-child) th{padding-bottom:0;color:var(--ink);font-weight:600}
thead tr+tr th{padding-top:0}
thead tr:last-child th{border-bottom:1px solid var(--rule)}
thead tr:first-child:not(:last-child) th{text-align:center}
th.text,td.text{text-align:left}
tbody tr+tr td{border-top:1px solid var(--rule)}
tbody tr:hover td{background:var(--page)}
td.best{background:var(--best);font-weight:600}
td.bad{color:var(--bad)}
.key{display:inline-block;width:11px;height:11px;border-radius:3px;background:var(--c);
 margin-right:8px;vertical-align:-1px}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,560px),1fr));gap:16px}
.plots>.card{padding:10px 8px 4px 12px;position:relative}
.plots svg.plot{width:100%;height:auto;display:block}
.poses{display:grid;grid-template-columns:repeat(auto-fill,minmax(240px,1fr));gap:16px}
figure{margin:0;overflow:hidden}
figure img{width:100%;display:block}
figcaption{padding:7px 12px 9px;font-size:13px}
.gap{margin-top:16px}
.fit{width:fit-content;max-width:100%}
h3{margin:18px 0 8px;font-size:14px}
.verdict{display:inline-block;min-width:52px;text-align:center;border-radius:6px;padding:0 8px;
 font-size:12.5px;font-weight:600;background:var(--best)}
.verdict.fails{background:var(--badpaper);color:var(--bad)}
.verdict.partly{background:var(--rule)}
.dim{opacity:.1}
.tip{position:absolute;pointer-events:none;padding:7px 10px;font-size:12px;line-height:1.45;
 white-space:nowrap;box-shadow:0 2px 10px #0003;display:none;z-index:2;
 font-variant-numeric:tabular-nums}
.tip td{padding:0 0 0 10px;border:0!important}
.tip td.text{padding:0}
.hair{stroke:var(--quiet);stroke-dasharray:3 3}
)css";

// A pointer over a plot shows the values there; one over a method's row shows its curves alone.
constexpr const char* kScript = R"js(
const unbend=(a,v)=>a.scale===1?10**v:a.scale===2?Math.sign(v)*a.threshold*(10**Math.abs(v)-1):v;
const show=v=>{if(v===0)return'0';const s=Math.abs(v)<1e-3||Math.abs(v)>=1e4?v.toExponential(2):
 v.toPrecision(3);return s.replace('-','−')};
for(const card of document.querySelectorAll('.plots>.card')){
 const svg=card.querySelector('svg.plot'),axes=JSON.parse(svg.dataset.axes),[x0,y0,w,h]=axes.frame;
 if(axes.path)continue;
 const lines=[...svg.querySelectorAll('polyline.line')].map(e=>({e,
  p:e.getAttribute('points').trim().split(' ').map(Number)}));
 const tip=card.querySelector('.tip'),hair=document.createElementNS(svg.namespaceURI,'line');
 hair.setAttribute('class','hair');hair.setAttribute('y1',y0);hair.setAttribute('y2',y0+h);
 const leave=()=>{tip.style.display='none';hair.remove()};
 svg.addEventListener('pointerleave',leave);
 svg.addEventListener('pointermove',event=>{
  const at=new DOMPoint(event.clientX,event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const px=at.x-x0;if(px<0||px>w)return leave();
  hair.setAttribute('x1',at.x);hair.setAttribute('x2',at.x);svg.append(hair);
  const rows=[];
  for(const {e,p} of lines){
   const n=p.length/2;if(px>p[2*n-2]+2||px<p[0]-2)continue;
   let a=0,b=n-1;while(b-a>1){const m=(a+b)>>1;p[2*m]<=px?a=m:b=m}
   const i=px-p[2*a]<p[2*b]-px?a:b;
   const v=unbend(axes.y,axes.y.lo+(1-p[2*i+1]/h)*(axes.y.hi-axes.y.lo));
   rows.push([v,e.dataset.name,e.getAttribute('class').match(/c\d+/)[0]]);}
  if(!rows.length)return leave();
  rows.sort((a,b)=>b[0]-a[0]);
  const t=unbend(axes.x,axes.x.lo+px/w*(axes.x.hi-axes.x.lo));
  tip.innerHTML='<b>'+axes.label+' '+show(t)+'</b><table>'+rows.map(r=>'<tr><td class="text"><span class="key '+
   r[2]+'"></span>'+r[1]+'</td><td>'+show(r[0])+'</td></tr>').join('')+'</table>';
  tip.style.display='block';
  const box=card.getBoundingClientRect(),left=event.clientX-box.left;
  tip.style.left=(left>box.width/2?left-tip.offsetWidth-14:left+14)+'px';
  tip.style.top=Math.max(4,Math.min(event.clientY-box.top-20,box.height-tip.offsetHeight-4))+'px';
 });}
for(const row of document.querySelectorAll('tr[data-name]')){
 const dim=on=>document.querySelectorAll('.plot [data-name]').forEach(e=>
  e.classList.toggle('dim',on&&e.dataset.name!==row.dataset.name));
 row.addEventListener('pointerenter',()=>dim(true));
 row.addEventListener('pointerleave',()=>dim(false));}
)js";

std::string base64(const std::string& bytes) {
  static constexpr char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 |
              (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : std::uint32_t{0});
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? letters[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace

std::string pageOf(const std::string& title, const std::string& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
         escaped(title) + "</title>\n<style>" + plotStyle() + kStyle +
         "</style></head>\n<body><main>\n" + body + "</main><script>" + kScript +
         "</script></body></html>\n";
}

std::string cardOf(const Plot& plot) {
  return "<div class=\"card\">" + svgOf(plot) + "<div class=\"card tip\"></div></div>\n";
}

std::string imageOf(const std::string& svg, const std::string& what) {
  return "<img alt=\"" + escaped(what) + "\" src=\"data:image/svg+xml;base64," + base64(svg) +
         "\">";
}

}  // namespace tenon::cli
