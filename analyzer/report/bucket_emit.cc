// Shared parts of texts to paste, and the list of their formats.

#include <algorithm>
#include <span>
#include <string>

#include "report/bucket_emitters.h"
#include "report/bucket_facts.h"
#include "report/formats.h"
#include "report/json_stream.h"
#include "report/text_finding.h"
#include "support/embedded_file.h"
#include "support/terminal_text.h"
#include "support/text_list.h"

namespace shapewise {

std::span<const EmbeddedFile> EmittedTemplates();

namespace {

constexpr size_t kCommentColumns = 88;

constexpr size_t kColumns = 88;
/// torch._dynamo.config.accumulated_recompile_limit in PyTorch 2.13.
constexpr size_t kAccumulatedLimit = 256;

std::string WrappedTuple(std::string_view head, const std::vector<std::string>& items) {
  std::string text(head);
  if (items.empty()) return text + " = ()\n";
  text += " = (\n";
  std::string line;
  for (const std::string& item : items) {
    if (!line.empty() && 5 + line.size() + item.size() + 2 > kColumns) {
      text.append("    ").append(line).append("\n");
      line.clear();
    }
    line += (line.empty() ? "" : " ") + item + ",";
  }
  return text.append("    ").append(line).append("\n)\n");
}

std::string PlanJson(const BucketReport& report) {
  const Json plan = {{"schema", "shapewise.bucket-plan/1"},
                     {"columns", report.columns},
                     {"mode", BucketModeName(report.mode)},
                     {"boundaries", ListJson(report.boundaries, SizesJson, report.dims)},
                     {"served", ListJson(report.served, ServedJson)},
                     {"recompile_limit", report.recompile_limit}};
  return plan.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

std::string TemplateText(std::string_view name) {
  for (const EmbeddedFile& file : EmittedTemplates()) {
    if (file.path.ends_with("/" + std::string(name) + ".py.in")) return std::string(file.text);
  }
  return {};
}

using TemplateValues = std::vector<std::pair<std::string_view, std::string>>;

/// Replaces the placeholders of `values`, in one pass: a value may contain anything.
std::string Filled(std::string_view text, const TemplateValues& values) {
  std::string filled;
  while (!text.empty()) {
    const size_t begin = std::min(text.find('@'), text.size());
    filled += text.substr(0, begin);
    text.remove_prefix(begin);
    const size_t end = text.find('@', 1);
    const auto value = std::ranges::find(values, text.substr(0, end).substr(text.empty() ? 0 : 1),
                                         &TemplateValues::value_type::first);
    if (end == std::string_view::npos || value == values.end()) {
      filled += text.substr(0, 1);
      text.remove_prefix(std::min<size_t>(text.size(), 1));
      continue;
    }
    const bool is_line_begin = filled.empty() || filled.back() == '\n';
    filled += value->second;
    text.remove_prefix(end + 1);
    if (is_line_begin && text.starts_with('\n')) text.remove_prefix(1);
  }
  return filled;
}

/// The programs that texts are for; the plain JSON comes last.
std::vector<BucketConsumer> AllConsumers() {
  return {PyTorchConsumer(),     VllmConsumer(),  SglangConsumer(),   TensorRtConsumer(),
          HuggingFaceConsumer(), GaudiConsumer(), PlainJsonConsumer()};
}

}  // namespace

std::span<const BucketFormat> BucketEmitters() {
  static const auto formats = [] {
    std::vector<BucketFormat> list;
    for (const BucketConsumer& to : AllConsumers()) {
      list.push_back({to.name, [to](const BucketReport& report, const ReportOptions&,
                                    llvm::raw_ostream& out) { out << to.text(report); }});
    }
    return list;
  }();
  return formats;
}

std::vector<BucketSnippet> BucketSnippets(const BucketReport& report) {
  std::vector<BucketSnippet> snippets;
  for (const BucketConsumer& to : AllConsumers()) {
    if (to.name == "json") continue;
    snippets.push_back({std::string(to.key), std::string(to.source), to.text(report)});
  }
  return snippets;
}

std::string CommentLines(std::string_view text, std::string_view prefix) {
  // Some non-ASCII characters end a line in YAML, or hide one.
  std::string printable = MakePrintable(text);
  std::erase_if(printable, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; });
  for (char& c : printable) {
    if (static_cast<unsigned char>(c) >= 0x7F || c == '\t') c = '?';
  }
  std::string lines;
  std::string_view rest = printable;
  while (!rest.empty()) {
    const size_t room = kCommentColumns - prefix.size();
    size_t end = rest.size();
    if (end > room) {
      end = rest.rfind(' ', room);
      if (end == std::string_view::npos || end == 0) end = std::min(rest.find(' ', 1), rest.size());
    }
    lines.append(prefix).append(rest.substr(0, end)).append("\n");
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return lines;
}

std::string PlanSummary(const BucketReport& report) {
  std::string text = HeadlineText(report);
  if (report.histogram.calls > 0) {
    text += "; " + DimsText(report) + " of " + Counted(report.histogram.calls, "call");
  }
  if (report.is_censored) text += ", from a log of misses only: not the sizes of all calls";
  return text + ".";
}

std::string FilledTemplate(std::string_view name,
                           const std::vector<std::pair<std::string_view, std::string>>& values) {
  TemplateValues parts;
  for (const std::string_view part : {"pad", "call", "warm_up"}) {
    parts.emplace_back(part, TemplateText(part));
  }
  return Filled(Filled(TemplateText(name), parts), values);
}

std::vector<int64_t> LineSizes(const BucketReport& report) {
  std::vector<int64_t> sizes;
  if (report.dims != 1) return sizes;
  for (const Sizes& boundary : report.boundaries) sizes.push_back(boundary[0]);
  return sizes;
}

std::string JoinedSizes(const std::vector<int64_t>& sizes, std::string_view separator) {
  return Joined(sizes, separator);
}

std::string PythonTuple(std::string_view name, const std::vector<int64_t>& items) {
  std::vector<std::string> texts;
  for (const int64_t item : items) texts.push_back(std::to_string(item));
  return WrappedTuple(std::string(name) + ": tuple[int, ...]", texts);
}

std::string PythonTuple(std::string_view name, const std::vector<Sizes>& items, size_t dims) {
  std::vector<std::string> texts;
  for (const Sizes& item : items) {
    std::string text = "(";
    for (size_t dim = 0; dim < std::min(dims, item.size()); ++dim) {
      text += (dim == 0 ? "" : ", ") + std::to_string(item[dim]);
    }
    texts.push_back(text + ")");
  }
  return WrappedTuple(std::string(name) + ": tuple[tuple[int, ...], ...]", texts);
}

std::string PythonLimits(size_t limit, size_t buckets) {
  limit = std::max(limit, 2 * buckets);
  const auto raise = [](std::string_view name, size_t to) {
    const std::string option = "torch._dynamo.config." + std::string(name);
    return option + " = max(\n    " + option + ", " + std::to_string(to) + "\n)\n";
  };
  std::string text =
      "# Twice the buckets: where another dim varies as well, each gets a second graph.\n" +
      raise("recompile_limit", limit);
  if (limit > kAccumulatedLimit) text += raise("accumulated_recompile_limit", limit);
  return text;
}

BucketConsumer PlainJsonConsumer() {
  return {"json", "json", "analyzer/docs/buckets.md", PlanJson};
}

}  // namespace shapewise
