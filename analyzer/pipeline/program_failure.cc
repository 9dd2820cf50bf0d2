#include "pipeline/lint_passes.h"

#include <algorithm>
#include <optional>

#include "pipeline/run_inputs.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxMessage = 120;

/// Lines that torch appends to the messages of its exceptions.
bool ContinuesMessage(std::string_view line) {
  return line.empty() || IsBlankChar(line.front()) || line.starts_with("from user code") ||
         line.starts_with("Set TORCH") || line.starts_with("You can suppress") ||
         line.starts_with("For more details about") || line.starts_with("Traceback (most recent");
}

/// "torch._dynamo.exc.Unsupported: ..." or "KeyboardInterrupt"
bool IsException(std::string_view line) {
  const std::string_view name = line.substr(0, line.find(':'));
  const bool is_dotted =
      !name.empty() && std::ranges::all_of(name, [](char c) { return IsWordChar(c) || c == '.'; });
  const bool ends_name = name.size() == line.size() || line.substr(name.size()).starts_with(": ");
  return is_dotted && !IsDigit(name.front()) && ends_name;
}

std::string OfEnd(std::string_view text, Redactor* redactor) {
  const std::string_view exception = LastException(text);
  if (exception.empty()) return {};
  std::string message = MakePrintable(exception.substr(0, kMaxMessage));
  if (exception.size() > kMaxMessage) message += "...";
  return redactor == nullptr ? message : redactor->Rewrite(TextKind::kProse, message);
}

}  // namespace

std::string_view LastException(std::string_view text) {
  const size_t begin = text.rfind("Traceback (most recent call last):\n");
  if (begin == kNotFound) return {};
  std::string_view rest = text.substr(begin);
  rest.remove_prefix(rest.find('\n') + 1);
  std::string_view exception;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = TrimRight(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (ContinuesMessage(line)) continue;
    if (!exception.empty() || !IsException(line)) return {};
    exception = line;
  }
  return exception;
}

std::string FindFailure(const std::vector<std::string>& paths, FileSource& files,
                        const InputEnds& ends, Redactor* redactor) {
  for (const std::string& path : paths) {
    if (const std::optional<int> status = ReadRunEnd(path)) {
      if (*status != 0) return "exit status " + std::to_string(*status);
      continue;
    }
    Expected<std::vector<std::string>> expanded = files.Expand(path);
    if (!expanded) {
      llvm::consumeError(expanded.takeError());
      continue;
    }
    for (const std::string& file : *expanded) {
      std::string failure = OfEnd(ends.Of(file), redactor);
      if (!failure.empty()) return failure;
    }
  }
  return {};
}

}  // namespace shapewise
