// The API's description, read from /openapi.json.

import { element, inline } from "/static/markdown.js";

const DEPTH_MAX = 6;

function resolve(api, schema, depth = 0) {
  if (!schema || depth > DEPTH_MAX) return "…";
  if (schema.$ref) return resolve(api, api.components.schemas[schema.$ref.split("/").pop()], depth + 1);
  if (schema.enum) return schema.enum.join(" | ");
  if (schema.const !== undefined) return schema.const;
  const any = schema.anyOf ?? schema.oneOf;
  if (any) {
    const shown = any.map((each) => resolve(api, each, depth + 1));
    return shown.every((each) => typeof each === "string") ? shown.join(" | ") : shown[0];
  }
  if (schema.properties) {
    return Object.fromEntries(Object.entries(schema.properties).map(([name, each]) => [name, resolve(api, each, depth + 1)]));
  }
  if (schema.type === "array") return [resolve(api, schema.items ?? schema.prefixItems?.[0], depth + 1)];
  return schema.format ? `${schema.type} (${schema.format})` : schema.type ?? "any";
}

function shape(api, title, content) {
  const schema = content?.["application/json"]?.schema;
  if (!schema) return [];
  const text = JSON.stringify(resolve(api, schema), null, 2);
  return [element("details", {}, element("summary", { textContent: title }), element("pre", { tabIndex: 0, textContent: text }))];
}

function parameters(found) {
  if (!found?.length) return [];
  const rows = found.map((each) =>
    element("tr", {}, element("td", {}, element("code", { textContent: each.name })), element("td", { textContent: each.in }),
      element("td", {}, ...inline(each.description ?? (each.required ? "required" : "")))));
  return [element("table", {}, element("tbody", {}, ...rows))];
}

const api = await (await fetch("/openapi.json")).json();
const shown = [];
for (const [path, methods] of Object.entries(api.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const ok = Object.entries(operation.responses).find(([status]) => status.startsWith("2"));
    shown.push(
      element("h2", {}, element("code", { textContent: `${method.toUpperCase()} ${path}` })),
      element("p", {}, ...inline(operation.description ?? operation.summary ?? "")),
      ...parameters(operation.parameters),
      ...shape(api, "Body", operation.requestBody?.content),
      ...shape(api, `Answer (${ok?.[0]})`, ok?.[1].content),
    );
  }
}
document.getElementById("routes").replaceChildren(...shown);
