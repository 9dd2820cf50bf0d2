// Shared parts of texts to paste, and the list of their formats.

#include <algorithm>
#include <span>
#include <string>

#include "report/bucket_emitters.h"
#include "report/bucket_facts.h"
#include "report/bucket_writers.h"
#include "report/text_finding.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {
namespace {

constexpr size_t kCommentColumns = 88;

template <const BucketConsumer& (*consumer)()>
void EmitTo(const BucketReport& report, const ReportOptions& /*options*/, llvm::raw_ostream& out) {
  out << consumer().text(report);
}

template <const BucketConsumer& (*... consumers)()>
std::span<const BucketFormat> EmittersTo() {
  static const BucketFormat formats[] = {{consumers().name, EmitTo<consumers>}...};
  return formats;
}

}  // namespace

std::span<const BucketFormat> BucketFormats() {
  static constexpr auto formats = DocumentFormats<BucketReport>::FormatsOf<DescribeBuckets>(
      BucketFormat{"json", WriteBucketJson}, BucketFormat{"svg", WriteBucketSvg});
  return formats;
}

std::span<const BucketFormat> BucketEmitters() {
  // The plain JSON comes last; the others are for specific programs.
  return EmittersTo<PyTorchConsumer, VllmConsumer, SglangConsumer, TensorRtConsumer,
                    HuggingFaceConsumer, GaudiConsumer, PlainJsonConsumer>();
}

std::vector<BucketSnippet> BucketSnippets(const BucketReport& report) {
  std::vector<BucketSnippet> snippets;
  for (const auto consumer : {PyTorchConsumer, VllmConsumer, SglangConsumer, TensorRtConsumer,
                              HuggingFaceConsumer, GaudiConsumer}) {
    const BucketConsumer& to = consumer();
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

std::vector<int64_t> LineSizes(const BucketReport& report) {
  std::vector<int64_t> sizes;
  if (report.dims != 1) return sizes;
  for (const Sizes& boundary : report.boundaries) sizes.push_back(boundary[0]);
  return sizes;
}

std::string JoinedSizes(const std::vector<int64_t>& sizes, std::string_view separator) {
  std::string text;
  for (const int64_t size : sizes) {
    if (!text.empty()) text += separator;
    text += std::to_string(size);
  }
  return text;
}

}  // namespace shapewise
