// A table of rows: each column has a name, and says what it shows of a row: a text or an element.

export function tableOf(rows, columns) {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const column of columns) head.append(cell("th", column, column.name, "col"));
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const column of columns) line.append(cell(column.heads ? "th" : "td", column, column.of(row), column.heads ? "row" : ""));
  }
  return table;
}

function cell(kind, column, content, scope) {
  const made = document.createElement(kind);
  made.append(content);
  if (scope) made.scope = scope;
  if (column.number) made.className = "number";
  return made;
}
