// A decision that is looked at marks its lines and its nodes.
const mark = () => {
  document.querySelectorAll(".on").forEach((e) => e.classList.remove("on"));
  const d = /^#d(\d+)$/.exec(location.hash);
  if (d) document.querySelectorAll(`[data-d~="${d[1]}"]`).forEach((e) => e.classList.add("on"));
};
addEventListener("hashchange", mark);
mark();
