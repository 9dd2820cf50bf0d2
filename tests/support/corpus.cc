#include "support/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "shapewise/ingest/reader.h"
#include "support/source_dir.h"

namespace shapewise {
namespace {

void DumpReason(const Reason& reason, const Session& session, llvm::raw_ostream& out) {
  out << "\n    " << std::string(session.text(reason.entry)) << " "
      << std::string(GuardClassName(reason.guard_class)) << " ["
      << std::string(session.text(reason.guard))
      << "] source=" << std::string(session.text(reason.source)) << " dim=" << reason.dim
      << " expected=" << std::string(session.text(reason.expected))
      << " actual=" << std::string(session.text(reason.actual)) << " at "
      << std::string(session.text(reason.user_file)) << ":" << reason.user_line
      << " hint=" << std::string(session.text(reason.hint));
}

// Packed traces up to this size are under the laws, too; larger ones would make the tests slow.
constexpr size_t kMaxUnpackedBytes = 500'000;

/// Keeps all text that it is given.
class KeptText final : public LineSink {
 public:
  void OnLines(std::string_view lines, uint64_t) override { text_ += lines; }
  size_t OnPiece(std::string_view piece, uint64_t, bool, bool is_last) override {
    text_ += piece;
    if (is_last) text_ += '\n';
    return piece.size();
  }
  std::string& text() { return text_; }

 private:
  std::string text_;
};

std::string Unpacked(const std::filesystem::path& path) {
  Stats stats;
  KeptText kept;
  TextTotals totals;
  llvm::consumeError(NewDiskFileSource()->Read(path.string(), kept, stats, 0, totals));
  return std::move(kept.text());
}

}  // namespace

std::vector<CorpusLog> AllCorpusLogs() {
  const std::filesystem::path root = std::filesystem::path(SourceDir()) / "corpora";
  std::vector<CorpusLog> logs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::filesystem::path& path = entry.path();
    const std::string name = path.lexically_relative(root).string();
    if (!entry.is_regular_file() || name.starts_with("generated")) continue;
    if (name.ends_with(".log.gz")) {
      std::string text = Unpacked(path);
      if (text.size() <= kMaxUnpackedBytes) logs.push_back({name, std::move(text)});
      continue;
    }
    if (path.extension() != ".log" && path.filename() != "log.txt") continue;
    std::ifstream file(path, std::ios::binary);
    logs.push_back({name, std::string(std::istreambuf_iterator<char>(file), {})});
  }
  std::sort(logs.begin(), logs.end(),
            [](const CorpusLog& a, const CorpusLog& b) { return a.name < b.name; });
  return logs;
}

namespace {

void DumpTexts(const GuardTexts& texts, const Session& session, llvm::raw_ostream& out) {
  const auto text_of = [&](StrId id) { return std::string(session.text(id)); };
  out << " printed=" << texts.is_printed << " left_out=" << texts.left_out;
  for (const ShapeGuard& guard : texts.shape) {
    out << " {" << text_of(guard.source) << " " << text_of(guard.text) << " "
        << text_of(guard.stride) << " " << text_of(guard.properties) << " " << guard.user_line
        << "}";
  }
  for (const uint64_t hash : texts.others) out << " " << hash;
}

}  // namespace

std::string DumpSession(const Session& session) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const Input& input : session.inputs()) {
    out << input.name << " " << input.format << " " << input.bytes << " bytes " << input.lines
        << " lines " << input.torch_lines << " of torch\n";
  }
  for (size_t i = 0; i < kNumStats; ++i) {
    const Stats::Count& count = session.stats().count(i);
    if (count.times == 0) continue;
    out << std::string(kStatInfos[i].name) << " " << count.times << " first at line "
        << count.first_line << "\n";
  }
  for (const VersionMark& mark : session.version_marks()) {
    out << "version " << mark.from << ".." << mark.until << " line " << mark.line << "\n";
  }
  for (const Event& event : session.events()) {
    const EventDetail& detail = session.detail(event);
    const auto text_of = [&](StrId id) { return std::string(session.text(id)); };
    out << event.line << ": " << std::string(EventKindName(detail.kind)) << " rank=" << event.rank
        << " id=" << text_of(event.compile_id) << " time=" << FormatLogTime(event.time) << " "
        << text_of(detail.function) << " " << text_of(detail.file) << ":" << detail.function_line
        << " user " << text_of(detail.user_file) << ":" << detail.user_line << " "
        << text_of(detail.user_function) << " gb=" << text_of(detail.gb)
        << " type=" << text_of(detail.type) << " repeat=" << detail.repeat
        << " fatal=" << detail.fatal << " why=" << std::string(WhyName(detail.why))
        << " message=" << text_of(detail.message) << " count=" << detail.count.value_or(-1)
        << " limit=" << detail.limit.value_or(-1);
    for (const ReasonId id : detail.reasons) DumpReason(session.reason(id), session, out);
    out << "\n";
  }
  for (const Compilation& compilation : session.compilations()) {
    const auto text_of = [&](StrId id) { return std::string(session.text(id)); };
    out << compilation.line << ": compilation " << text_of(compilation.compile_id) << " "
        << std::string(CompileOutcomeName(compilation.outcome)) << " " << compilation.is_finished
        << " " << text_of(compilation.function) << " " << text_of(compilation.file) << ":"
        << compilation.function_line << " from " << text_of(compilation.user_file) << ":"
        << compilation.user_line << " cache=" << std::string(CacheOutcomeName(compilation.cache))
        << llvm::format(" %.6f", compilation.seconds.total.value_or(-1))
        << " ops=" << compilation.num_ops.value_or(-1) << " restarts=" << compilation.restarts
        << " guards=" << compilation.guards.leaves << " " << compilation.guards.families.size();
    DumpTexts(compilation.guard_texts, session, out);
    for (const InputShape& shape : compilation.shapes) {
      out << " " << text_of(shape.source) << text_of(shape.shape);
    }
    for (const SymbolFact& fact : compilation.symbols) {
      out << " " << text_of(fact.symbol) << text_of(fact.expr) << "@" << fact.line;
    }
    for (const PayloadPlace& place : compilation.payloads) {
      out << " " << text_of(place.name) << "@" << place.line;
    }
    out << "\n";
  }
  for (const PrintedGuards& printed : session.printed_guards()) {
    const auto text_of = [&](StrId id) { return std::string(session.text(id)); };
    out << printed.line << ": guards rank=" << printed.rank << " " << text_of(printed.compile_id)
        << " " << text_of(printed.function) << " " << text_of(printed.file) << ":"
        << printed.function_line << " user " << text_of(printed.user_file) << ":"
        << printed.user_line << " " << printed.guards.leaves << " " << printed.guards.managers
        << " " << printed.guards.families.size()
        << llvm::format(" %.2f", printed.guards.latency_us.value_or(-1));
    DumpTexts(printed.guard_texts, session, out);
    for (const SymbolFact& fact : printed.symbols) {
      out << " " << text_of(fact.symbol) << text_of(fact.expr) << "@" << fact.line;
    }
    out << "\n";
  }
  for (const Span& span : session.spans()) {
    out << span.line << ": " << std::string(SpanKindName(span.kind)) << " "
        << std::string(session.text(span.name)) << " number=" << span.number
        << " rank=" << span.rank << " clock=" << static_cast<int>(span.clock)
        << llvm::format(" %.6f for %.6f", span.begin, span.seconds)
        << " of=" << std::string(session.text(span.process))
        << " id=" << std::string(session.text(span.compile_id)) << "\n";
  }
  out.flush();
  return text;
}

std::string ReadAndDump(std::string_view text, size_t chunk_bytes, const ReadOptions& options) {
  std::vector<std::string_view> chunks;
  for (size_t at = 0; at < text.size(); at += chunk_bytes) {
    chunks.push_back(text.substr(at, chunk_bytes));
  }
  Session session;
  ReadInputFromChunks("input.log", chunks, session, options);
  return DumpSession(session);
}

}  // namespace shapewise
