#include "ingest/graph_text/python_program.h"

#include <algorithm>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

bool IsImport(std::string_view line) {
  return line.starts_with("import ") || (line.starts_with("from ") && HasText(line, " import "));
}

}  // namespace

bool IsPythonProgram(std::string_view name, std::string_view front) {
  if (HasText(front, "class Repro(") || HasText(front, "class FxModule(")) return false;
  bool is_first_line = true;
  while (!front.empty()) {
    const size_t end = std::min(front.find('\n'), front.size());
    const std::string_view line = front.substr(0, end);
    front.remove_prefix(std::min(end + 1, front.size()));
    if (line.empty() || line.starts_with('#')) continue;
    // A log may quote code, but does not begin with it.
    if (IsImport(line)) return is_first_line || name.ends_with(".py");
    is_first_line = false;
  }
  return false;
}

}  // namespace shapewise
