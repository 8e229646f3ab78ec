// What would shorten the run: its advice, with what `duet advise` has measured where it has.
import { measuredAdvice, shortName, stats } from "./data.js";
import { element, section } from "./dom.js";
import { share, time } from "./units.js";

// What the run takes by each method of allocation.
function methods(advice, whole) {
  const measured = (advice.methods ?? []).filter((one) => one.result);
  if (measured.length === 0) return [];
  const texts = { failed: "fails", other_output: "prints something else" };
  const row = (name, ps, ...notes) => element("tr", {}, element("td", {}, name),
    element("td", { class: "number", ...(ps === undefined ? {} : { "data-field": "time_ps", "data-value": ps }) }, ps === undefined ? "" : time(ps)),
    element("td", {}, notes.filter(Boolean).join(", ")));
  return [element("table", { class: "methods" }, element("tbody", {}, row("as it is", whole),
    ...measured.map((one) => row(one.method, one.time_ps, texts[one.result], one.calls === "" ? "no call gives it" : ""))))];
}

function item(advice, whole) {
  const measured = advice.measured_ps !== undefined;
  const saves = measured ? advice.measured_ps : advice.saves_ps;
  const how = measured ? `measured with ${advice.what_if.join(", ")}` : advice.failure ? `estimated; ${advice.failure}` : "estimated";
  const subject = advice.kernel ? `Kernel ${shortName(advice.kernel)}` : "The run";
  const gain = measured && saves < whole / 100 ? "Checked, and no gain:" : `${measured ? "Saves" : "Would save"} ${advice.at_most ? "at most" : "about"}`;
  return element("li", { "data-rule": advice.rule },
    element("b", {}, `${subject} is bound by ${advice.bound_by}`), `: ${advice.because}. `,
    element("b", {}, `Try to ${advice.try}.`), ` ${gain} `,
    element("b", { "data-field": measured ? "measured_ps" : "saves_ps", "data-value": saves }, time(saves)),
    `, ${share(saves, whole)} of the run (${how}; rule ${advice.rule}).`, ...methods(advice, whole));
}

export function adviceSection() {
  const all = measuredAdvice?.advice ?? stats.advice ?? [];
  const hardware = measuredAdvice?.hardware_advice ?? stats.hardware_advice ?? [];
  if (all.length === 0 && hardware.length === 0) return null;
  const result = section("advice", "What should I change?",
    measuredAdvice ? "Measured by runs on changed machines where one can answer, otherwise estimated from this run."
      : "Estimated from this run. duet advise FOLDER runs the program again on changed machines and puts what it measured here.");
  if (all.length !== 0) result.append(element("ol", {}, ...all.map((one) => item(one, stats.account.time_ps))));
  if (hardware.length !== 0)
    result.append(element("details", { class: "hardware" }, element("summary", {}, "Changes of the machine, not of the program"),
      element("ul", {}, ...hardware.map((one) => item(one, stats.account.time_ps)))));
  return result;
}
