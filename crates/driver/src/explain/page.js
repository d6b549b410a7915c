// A decision that is looked at marks its lines and its nodes, and opens what it is in.
const mark = () => {
  document.querySelectorAll(".on").forEach((e) => e.classList.remove("on"));
  const d = /^#d(\d+)$/.exec(location.hash);
  if (d) document.querySelectorAll(`[data-d~="${d[1]}"]`).forEach((e) => e.classList.add("on"));
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const own = target.querySelector(":scope > details");
  if (own) own.open = true;
  for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
  target.scrollIntoView({ block: "nearest" });
};
addEventListener("hashchange", mark);
mark();
// A picture is as wide as its place, or as it was drawn.
const zoom = (e) => {
  if (e.target.closest("a")) return;
  if (e.type === "keydown" && e.key !== "Enter" && e.key !== " ") return;
  e.preventDefault();
  const figures = e.currentTarget.closest(".figures");
  figures.classList.toggle("large");
};
document.querySelectorAll(".zoom").forEach((e) => {
  e.addEventListener("click", zoom);
  e.addEventListener("keydown", zoom);
});
// A source begins at what was changed.
document.querySelectorAll("[data-from]").forEach((e) => {
  const line = document.getElementById(e.dataset.from);
  if (line) e.scrollTop = line.offsetTop - 3 * line.offsetHeight;
});
