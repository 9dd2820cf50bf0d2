// Sends each complete message to its parser.

#include "ingest/messages/parsers.h"

namespace shapewise {
namespace {

MessageParser ParserOf(RecordKind kind) {
  switch (kind) {
    case RecordKind::kNone:
      return nullptr;
    case RecordKind::kRecompile:
      return ParseRecompile;
    case RecordKind::kLimit:
      return ParseLimit;
    case RecordKind::kGraphBreak:
      return ParseGraphBreak;
    case RecordKind::kItemWarning:
      return ParseItemWarning;
    case RecordKind::kBreakBlock:
      return ParseBreakBlock;
    case RecordKind::kBreakTail:
      return ParseBreakTail;
    case RecordKind::kBareUnsupported:
      return ParseBareUnsupported;
    case RecordKind::kProfilerReport:
      return ParseProfilerReport;
    case RecordKind::kOldExplanation:
      return ParseOldExplanation;
    case RecordKind::kBreakReason:
      return ParseBreakReason;
    case RecordKind::kException:
      return ParseException;
    case RecordKind::kGuardError:
    case RecordKind::kConstraints:
      return ParseConstraints;
    case RecordKind::kWontConvert:
      return ParseWontConvert;
    case RecordKind::kSkippedFrame:
      return ParseSkippedFrame;
    case RecordKind::kCudagraph:
      return ParseCudagraph;
    case RecordKind::kAutotune:
      return ParseAutotune;
    case RecordKind::kPerfHint:
      return ParsePerfHint;
    case RecordKind::kWarning:
      return ParseWarning;
    case RecordKind::kIgnoredMode:
      return ParseIgnoredMode;
    case RecordKind::kTorchscript:
      return ParseTorchscript;
    case RecordKind::kXlaFallback:
      return ParseXlaFallback;
    case RecordKind::kXlaProfiler:
      return ParseXlaProfiler;
    case RecordKind::kXlaAnalysis:
      return ParseXlaAnalysis;
    case RecordKind::kXlaMetric:
      return ParseXlaMetric;
  }
  return nullptr;
}

}  // namespace

ParsedMessage ParseMessage(const Record& record, StringPool& strings) {
  ParsedMessage parsed(strings);
  const MessageParser parse = ParserOf(record.kind);
  if (parse != nullptr && record.num_lines() > 0) parse(record, parsed);
  return parsed;
}

}  // namespace shapewise
