// Shared parts of texts to paste, and the list of their formats.

#include <algorithm>
#include <array>
#include <string>

#include "report/bucket_emitters.h"
#include "report/bucket_facts.h"
#include "report/bucket_writers.h"
#include "report/text_finding.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {
namespace {

constexpr size_t kCommentColumns = 88;

/// The plain JSON comes last; the others are for specific programs.
const std::array<const BucketConsumer*, 7>& Consumers() {
  static const std::array<const BucketConsumer*, 7> consumers = {
      &PyTorchConsumer(),     &VllmConsumer(),  &SglangConsumer(),   &TensorRtConsumer(),
      &HuggingFaceConsumer(), &GaudiConsumer(), &PlainJsonConsumer()};
  return consumers;
}

class BucketEmitter final : public BucketWriter {
 public:
  explicit BucketEmitter(const BucketConsumer& consumer) : consumer_(consumer) {}

  std::string_view name() const override { return consumer_.name; }

  void Write(const BucketReport& report, const ReportOptions& /*options*/,
             llvm::raw_ostream& out) const override {
    out << consumer_.text(report);
  }

 private:
  const BucketConsumer& consumer_;
};

}  // namespace

const std::vector<const BucketWriter*>& BucketEmitters() {
  static const std::vector<BucketEmitter> emitters = [] {
    std::vector<BucketEmitter> list;
    for (const BucketConsumer* consumer : Consumers()) list.emplace_back(*consumer);
    return list;
  }();
  static const std::vector<const BucketWriter*> writers = [] {
    std::vector<const BucketWriter*> list;
    for (const BucketEmitter& emitter : emitters) list.push_back(&emitter);
    return list;
  }();
  return writers;
}

std::vector<BucketSnippet> BucketSnippets(const BucketReport& report) {
  std::vector<BucketSnippet> snippets;
  for (const BucketConsumer* consumer : Consumers()) {
    if (consumer == &PlainJsonConsumer()) continue;
    snippets.push_back(
        {std::string(consumer->key), std::string(consumer->source), consumer->text(report)});
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
