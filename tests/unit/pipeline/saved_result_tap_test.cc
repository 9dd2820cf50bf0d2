#include "pipeline/load_run.h"

#include <memory>
#include <string>
#include <vector>

#include "saved/saved_result.h"
#include "support/catch.h"
#include "support/chunked_file.h"

namespace shapewise {
namespace {

class TextSink final : public LineSink {
 public:
  void OnLines(std::string_view lines, uint64_t first_line) override {
    if (text.empty()) CHECK(first_line == 1);
    text += lines;
  }
  size_t OnPiece(std::string_view piece, uint64_t, bool, bool is_last) override {
    text += piece;
    if (is_last) text += '\n';
    return piece.size();
  }
  std::string text;
};

TEST_CASE("a saved result is detected, and other input passes unchanged, in any chunks", "[diff]") {
  const std::string saved = "{\n \"schema\": \"shapewise.lint/1\",\n \"findings\": []\n}\n";
  const std::string long_line = "{\"schema\": \"shapewise.lint/1\", \"gaps\": [\"" +
                                std::string(2 * kMaxLineBytes, 'a') + "\"]}\n";
  const auto [text, is_saved] = GENERATE_COPY(table<std::string, bool>({
      {saved, true},
      {long_line, true},
      {"", false},
      {"{", false},
      {"{\n \"traceEvents\": []\n}\n", false},
      {"{\"log\": \"V1121 03:50:55\"}\n{\"log\": \"more\"}\n", false},
      {"V1121 03:50:55.230000 11963 torch/_dynamo/guards.py:5396] [0/1]\n" + saved, false},
      {std::string(3 * kMaxLineBytes, 'b') + "\nc\n", false},
  }));
  const size_t chunk_bytes = GENERATE(1, 7, 64, 4096, 1 << 22);
  if (text.size() > 10000 && chunk_bytes < 4096) return;  // slow, and no other
  CAPTURE(text.substr(0, 80), chunk_bytes);
  ChunkedFile file(text, chunk_bytes);
  SavedResultTap tap(file);
  TextSink sink;
  Stats stats;
  TextTotals totals;
  REQUIRE_FALSE(static_cast<bool>(tap.Read("x", sink, stats, 0, totals)));
  CHECK(tap.saved().size() == (is_saved ? 1U : 0U));
  // Compared outside of CHECK, which would write out megabytes.
  const bool is_whole = is_saved ? tap.saved().front().text == text : sink.text == text;
  CHECK(is_whole);
  CHECK(sink.text.empty() == (is_saved || text.empty()));
}

}  // namespace
}  // namespace shapewise
