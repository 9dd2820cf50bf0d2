#include "support/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ingest/reader.h"
#include "support/dump_fields.h"
#include "support/source_dir.h"

namespace shapewise {
namespace {

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

std::string DumpSession(const Session& session) {
  std::string text = DumpFields(session);
  for (size_t i = 0; i < kNumStats; ++i) {
    const Stats::Count& count = session.stats().count(i);
    if (count.times == 0) continue;
    text += std::string(kStatInfos[i].name) + " " + std::to_string(count.times) +
            " first at line " + std::to_string(count.first_line) + "\n";
  }
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
