#include "ingest/whole_lines.h"

#include "redact/redactor.h"

namespace shapewise {

void WholeLines::OnLines(std::string_view lines, uint64_t first_line) {
  ForEachLine(lines, first_line, [&](std::string_view text, uint64_t line) { PassOn(text, line); });
}

size_t WholeLines::OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) {
  if (is_first) {
    long_line_.clear();
    is_too_long_ = false;
  }
  is_too_long_ |= long_line_.size() + piece.size() > kMaxBytes;
  if (is_too_long_) {
    long_line_ = std::string();
  } else {
    long_line_ += piece;
  }
  if (!is_last) return piece.size();
  if (is_too_long_) {
    OnTooLong(line);
  } else {
    PassOn(long_line_, line);
  }
  long_line_ = std::string();
  return piece.size();
}

void WholeLines::PassOn(std::string_view text, uint64_t line) {
  const std::string_view trimmed = Trim(text);
  if (!trimmed.empty()) OnLine(keeps_indent_ ? TrimRight(text) : trimmed, line);
}

void JsonLines::OnLine(std::string_view text, uint64_t line) {
  totals_.NoteLine(text);
  simdjson::dom::element json;
  if (!parser_.Parse(text, json)) return totals_.NoteDamage(line, "it is no JSON");
  const auto object = JsonAs<simdjson::dom::object>(json);
  if (!object) return totals_.NoteDamage(line, "it is no JSON object");
  OnObject(*object, text, line);
}

void RedactTotals(Redactor& redactor, JsonLineTotals& totals) {
  totals.first_line = redactor.Rewrite(TextKind::kProse, totals.first_line);
  for (DamagedLine& line : totals.first_damaged) {
    line.what = redactor.Rewrite(TextKind::kProse, line.what);
  }
}

Error RedactedError(Error error, Redactor* redactor) {
  if (redactor == nullptr) return error;
  return MakeError(redactor->Rewrite(TextKind::kProse, llvm::toString(std::move(error))));
}

Error ReadUndamaged(const std::string& path, FileSource& files, LineSink& sink,
                    std::string_view note) {
  Stats stats;
  TextTotals read;
  if (Error error = files.Read(path, sink, stats, 0, read)) return error;
  if (stats.count(Stat::archive_damaged).times == 0) return Error::success();
  return MakeError(path + ": the archive is cut or damaged" + std::string(note));
}

}  // namespace shapewise
