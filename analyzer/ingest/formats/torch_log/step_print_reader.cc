#include "ingest/formats/torch_log/step_print_reader.h"

#include <algorithm>
#include <utility>

#include "ingest/file_rank.h"
#include "ingest/formats/torch_log/log_prefix.h"
#include "shapewise/support/terminal_text.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxRanks = 65536;

/// Whether `line` may be a print of a step: a quick look at the lines that are
/// none.
bool MayBeStep(std::string_view line) {
  for (const std::string_view part :
       {"tep", "TEP", "iter", "Iter", "ITER", "atch", "ATCH", "it/s", "s/it"}) {
    if (HasText(line, part)) return true;
  }
  return false;
}

}  // namespace

StepPrintReader::StepPrintReader(std::unique_ptr<LogReader> torch, Session& session, uint32_t input)
    : torch_(std::move(torch)),
      session_(session),
      input_(input),
      file_rank_(RankInFileName(session.input(input).name)) {}

void StepPrintReader::OnLines(std::string_view lines, uint64_t first_line) {
  torch_->OnLines(lines, first_line);
  uint64_t number = first_line;
  while (!lines.empty()) {
    const size_t newline = FindText(lines, "\n");
    const size_t end = std::min(newline, lines.size());
    ReadLine(lines.substr(0, end), number);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    ++number;
  }
}

/// A bar that rewrites its line a hundred thousand times makes a line of many
/// megabytes.
size_t StepPrintReader::OnPiece(std::string_view piece, uint64_t line, bool is_first,
                                bool is_last) {
  const size_t dealt_with = torch_->OnPiece(piece, line, is_first, is_last);
  ReadLine(piece.substr(0, is_last ? piece.size() : dealt_with), line);
  return dealt_with;
}

void StepPrintReader::ReadLine(std::string_view line, uint64_t number) {
  if (!MayBeStep(line)) return;
  line = StripEscapes(line, unescaped_);
  while (!line.empty()) {
    const size_t carriage = std::min(line.find('\r'), line.size());
    ReadSegment(line.substr(0, carriage), number);
    line.remove_prefix(std::min(carriage + 1, line.size()));
  }
}

void StepPrintReader::ReadSegment(std::string_view text, uint64_t number) {
  const std::optional<StepPrint> print = ReadStepPrint(text);
  if (!print) return;
  const int32_t own_rank = ParseForeignPrefix(text).rank;
  const int32_t rank = own_rank != kNoRank ? own_rank : file_rank_;
  if (last_.size() >= kMaxRanks && !last_.contains(rank)) return;
  Last& last = last_[rank];
  const bool is_next = last.number >= 0 && print->number == last.number + 1;
  const bool is_repeat = print->number == last.number;
  std::optional<double> seconds = print->seconds;
  // The time between two lines is that of a step when no step lies between
  // them.
  if (!seconds && is_next && print->clock != Clock::kUnknown && print->clock == last.clock &&
      print->time >= last.time) {
    seconds = print->time - last.time;
  }
  last = {print->number, print->clock, print->time};
  // A bar shows the same step again whenever it is drawn.
  if (!seconds || is_repeat) return;
  if (num_steps_ >= kMaxStepsOfInput) {
    session_.stats().Bump(Stat::spans_too_many, input_, number);
    return;
  }
  ++num_steps_;
  Span span;
  span.kind = SpanKind::kStep;
  span.clock = print->clock;
  span.input = input_;
  span.line = number;
  span.rank = rank;
  span.number = print->number;
  span.seconds = *seconds;
  if (print->clock != Clock::kUnknown) span.begin = print->time - *seconds;
  session_.AddSpan(span);
}

}  // namespace shapewise
