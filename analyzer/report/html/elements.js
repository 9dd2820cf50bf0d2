// What a page does in a browser: tables sort; one about a run, which has data, has a timeline.
// Its files are one script: elements, tables, causes, timeline, compilations, page, in this order.
//
// Everything shown comes from a log, which may be anybody's: it goes into the page as text nodes
// and attributes only. Names of elements and attributes are always ours.
"use strict";

const data = JSON.parse(document.getElementById("data")?.textContent ?? "null");
const svgSpace = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      node.addEventListener(name, value);
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  node.append(...children); // a string becomes a text node
  return node;
}
const element = (name, attributes = {}, ...children) =>
  fill(document.createElement(name), attributes, children);
const drawn = (name, attributes = {}, ...children) =>
  fill(document.createElementNS(svgSpace, name), attributes, children);
const button = (text, click, attributes = {}) =>
  element("button", { type: "button", click, ...attributes }, text);

function secondsText(seconds) {
  if (seconds === null) return "unknown";
  if (seconds < 0.1) return `${(seconds * 1e3).toFixed(1)} ms`;
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
