#include "support/text_input.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "unit/support/recording_sink.h"

namespace shapewise {
namespace {

using std::string_literals::operator""s;

struct Outcome {
  bool operator==(const Outcome& other) const {
    return events == other.events && bytes == other.bytes && lines == other.lines &&
           times == other.times;
  }

  std::string text;
  std::vector<RecordingSink::Event> events;
  uint64_t bytes;
  uint64_t lines;
  std::vector<uint64_t> times;  // of each Stat, and the line where it was first met
};

Outcome ReadCut(const std::vector<std::string_view>& chunks) {
  RecordingSink sink;
  Stats stats;
  const TextTotals totals = ReadChunks(chunks, sink, stats, 0);
  CHECK_FALSE(sink.has_empty_call);
  Outcome outcome{sink.Text(), std::move(sink.events), totals.bytes, totals.lines, {}};
  for (size_t i = 0; i < kNumStats; ++i) {
    outcome.times.push_back(stats.count(i).times);
    outcome.times.push_back(stats.count(i).first_line);
  }
  return outcome;
}

Outcome ReadWhole(std::string_view bytes) { return ReadCut({bytes}); }

Outcome ReadBySize(std::string_view bytes, size_t size) {
  std::vector<std::string_view> chunks;
  for (; bytes.size() > size; bytes.remove_prefix(size)) chunks.push_back(bytes.substr(0, size));
  chunks.push_back(bytes);
  return ReadCut(chunks);
}

uint64_t Times(const Outcome& outcome, Stat stat) {
  return outcome.times[2 * static_cast<size_t>(stat)];
}

std::string Gzip(std::string_view text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string bytes(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

std::string Zstd(std::string_view text) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const size_t size = ZSTD_compress2(context, bytes.data(), bytes.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  REQUIRE_FALSE(ZSTD_isError(size));
  bytes.resize(size);
  return bytes;
}

std::string Utf16(std::u16string_view text, bool is_little_endian) {
  std::string bytes;
  for (const char16_t unit : text) {
    const auto low = static_cast<char>(unit & 0xff);
    const auto high = static_cast<char>(unit >> 8);
    bytes += is_little_endian ? low : high;
    bytes += is_little_endian ? high : low;
  }
  return bytes;
}

// Text that compresses badly enough to fill several blocks of an archive.
std::string Noise(size_t size) {
  std::minstd_rand random(7);
  std::string text;
  while (text.size() < size) text += "step " + std::to_string(random()) + '\n';
  return text;
}

const std::string kText = "first line\n\nthird \xc3\xa9\n[__recompiles] last\n";
constexpr std::u16string_view kWideText =
    u"\ufefffirst line\n\nthird \u00e9 \u20ac\nplane \U0001f525 one\nascii again, and more\n";
const std::string kWideTextUtf8 =
    "first line\n\nthird \xc3\xa9 \xe2\x82\xac\nplane \xf0\x9f\x94\xa5 one\n"
    "ascii again, and more\n";
const std::string kSkippableFrame = "\x53\x2a\x4d\x18\x05\x00\x00\x00skip!"s;

TEST_CASE("lines keep their newlines, numbers and empty ones") {
  const Outcome outcome = ReadWhole("a\n\nb\nc");
  REQUIRE(outcome.events.size() == 4);
  CHECK(outcome.events[0] == RecordingSink::Event{1, "a\n"});
  CHECK(outcome.events[1] == RecordingSink::Event{2, "\n"});
  CHECK(outcome.events[2] == RecordingSink::Event{3, "b\n"});
  CHECK(outcome.events[3] == RecordingSink::Event{4, "c"});
  CHECK(outcome.lines == 4);
  CHECK(outcome.bytes == 6);
  CHECK(Times(outcome, Stat::line_cut_at_end) == 1);
}

TEST_CASE("an empty input has no lines and no damage") {
  const Outcome outcome = ReadCut({});
  CHECK(outcome.events.empty());
  CHECK(outcome.lines == 0);
  CHECK(std::count(outcome.times.begin(), outcome.times.end(), 0U) == 2 * kNumStats);
  CHECK(outcome == ReadCut({"", "", ""}));
}

TEST_CASE("a text that ends with a newline is not cut") {
  CHECK(Times(ReadWhole("a\nb\n"), Stat::line_cut_at_end) == 0);
  CHECK(ReadWhole("a\nb\n").lines == 2);
}

TEST_CASE("every form gives the text it was made from") {
  CHECK(ReadWhole(kText).text == kText);
  CHECK(ReadWhole("\xef\xbb\xbf" + kText).text == kText);
  CHECK(ReadWhole(Gzip(kText)).text == kText);
  CHECK(ReadWhole(Gzip(kText) + Gzip("") + Gzip("more\n")).text == kText + "more\n");
  CHECK(ReadWhole(Gzip(kText) + std::string(600, '\0')).text == kText);
  CHECK(ReadWhole(Zstd(kText)).text == kText);
  CHECK(ReadWhole(kSkippableFrame + Zstd(kText) + kSkippableFrame + Zstd("more\n")).text ==
        kText + "more\n");
  for (const bool is_little_endian : {true, false}) {
    const std::string wide = Utf16(kWideText, is_little_endian);
    CHECK(ReadWhole(wide).text == kWideTextUtf8);
    CHECK(Times(ReadWhole(wide), Stat::utf16_transcoded) == 1);
    CHECK(ReadWhole(Gzip(wide)).text == kWideTextUtf8);
    CHECK(ReadWhole(Zstd(wide)).text == kWideTextUtf8);
  }
  CHECK(ReadWhole(Gzip("\xef\xbb\xbf" + kText)).text == kText);
}

TEST_CASE("cut anywhere, an input gives the same lines") {
  const std::string wide = Utf16(kWideText, true);
  const std::vector<std::string> inputs = {
      kText,
      "\xef\xbb\xbf" + kText + "no newline",
      "\xef\xbb",
      "\x1f",
      wide,
      wide + "x",
      Utf16(kWideText, false),
      Gzip(kText) + Gzip("more\nlast"),
      Gzip(kText) + std::string(9, '\0') + Gzip("more\n") + "junk",
      Gzip(wide),
      kSkippableFrame + Zstd(kText) + Zstd("more\nlast"),
      Zstd(kText) + "junk",
      Zstd(wide),
  };
  for (const std::string& input : inputs) {
    const Outcome whole = ReadWhole(input);
    CHECK(ReadBySize(input, 1) == whole);
    const std::string_view bytes = input;
    for (size_t cut = 0; cut <= bytes.size(); ++cut) {
      if (!(ReadCut({bytes.substr(0, cut), bytes.substr(cut)}) == whole)) FAIL(cut);
    }
  }
}

TEST_CASE("cut anywhere, long archives give the same lines") {
  const std::string text = Noise(3 << 20);
  const std::string gzip = Gzip(text) + Gzip(text);
  const std::string zstd = Zstd(text) + Zstd(text);
  REQUIRE(gzip.size() > (size_t{1} << 20));
  for (const std::string& archive : {gzip, zstd}) {
    const Outcome whole = ReadWhole(archive);
    CHECK(whole.text == text + text);
    CHECK(Times(whole, Stat::archive_damaged) == 0);
    for (const size_t size : {1000, 65536, 131072, 262147}) {
      CHECK(ReadBySize(archive, size) == whole);
    }
  }
}

TEST_CASE("halves of surrogate pairs and of code units become replacement marks") {
  const std::string mark = "\xef\xbf\xbd";
  for (const bool is_little_endian : {true, false}) {
    const auto read = [&](std::u16string text, std::string_view tail = "") {
      return ReadWhole(Utf16(u"\ufeff" + text, is_little_endian).append(tail)).text;
    };
    CHECK(read({u'a', 0xd83d, u'b', u'\n'}) == "a" + mark + "b\n");
    CHECK(read({u'a', 0xdd25, u'b', u'\n'}) == "a" + mark + "b\n");
    CHECK(read({0xd83d, 0xd83d, 0xdd25}) == mark + "\xf0\x9f\x94\xa5");
    CHECK(read({u'a', 0xd83d}) == "a" + mark);
    CHECK(read({u'a'}, "\n") == "a" + mark);
    CHECK(read({u'a', 0xd83d}, "\n") == "a" + mark + mark);
  }
}

TEST_CASE("long texts in UTF-16 are transcoded whole") {
  std::u16string wide = u"\ufeff";
  std::string narrow;
  for (int i = 0; i < 40000; ++i) {
    wide += i % 7 == 0 ? u"caf\u00e9 \n" : u"plain text\n";
    narrow += i % 7 == 0 ? "caf\xc3\xa9 \n" : "plain text\n";
  }
  const std::string bytes = Utf16(wide, true);
  CHECK(ReadWhole(bytes).text == narrow);
  CHECK(ReadBySize(bytes, 4099) == ReadWhole(bytes));
}

TEST_CASE("a cut archive gives a start of its text and is counted") {
  const std::string text = kText + Noise(2000);
  const auto check = [&](const std::string& archive, size_t magic_size) {
    for (size_t size = magic_size; size < archive.size(); ++size) {
      const Outcome outcome = ReadWhole(archive.substr(0, size));
      if (!text.starts_with(outcome.text)) FAIL(size);
      if (Times(outcome, Stat::archive_damaged) != 1) FAIL(size);
    }
    // All but the check sum is there.
    CHECK(ReadWhole(archive.substr(0, archive.size() - 1)).text == text);
    CHECK(Times(ReadWhole(archive), Stat::archive_damaged) == 0);
  };
  check(Gzip(text), 2);
  check(Zstd(text), 4);
}

TEST_CASE("most of a long cut archive is saved") {
  const std::string text = Noise(1 << 20);
  for (const std::string& archive : {Gzip(text), Zstd(text)}) {
    const Outcome outcome = ReadWhole(std::string_view(archive).substr(0, archive.size() / 2));
    CHECK(text.starts_with(outcome.text));
    CHECK(outcome.text.size() > text.size() / 3);
  }
}

TEST_CASE("a damaged archive gives the same however it is cut, and what came before the damage") {
  const std::string text = Noise(1500);
  for (const std::string& archive : {Gzip(text), Zstd(text)}) {
    for (size_t at = 4; at < archive.size(); ++at) {
      std::string damaged = archive;
      damaged[at] = static_cast<char>(~damaged[at]);
      if (!(ReadBySize(damaged, 1) == ReadWhole(damaged))) FAIL(at);
    }
    const Outcome outcome = ReadWhole(archive + "junk");
    CHECK(outcome.text == text);
    CHECK(Times(outcome, Stat::archive_damaged) == 1);
  }
}

TEST_CASE("lines up to the limit come whole, longer ones in pieces") {
  const std::string limit(kMaxLineBytes, 'x');
  for (const std::string end : {"\n", ""}) {
    const Outcome whole = ReadWhole("a\n" + limit + end);
    REQUIRE(whole.events.size() == 2);
    CHECK_FALSE(whole.events[1].is_piece);
    CHECK(Times(whole, Stat::line_very_long) == 0);

    const Outcome pieces = ReadWhole("a\n" + limit + "y" + end);
    REQUIRE(pieces.events.size() == 3);
    const RecordingSink::Event& first = pieces.events[1];
    const RecordingSink::Event& last = pieces.events[2];
    CHECK((first.line == 2 && first.is_piece && first.is_first && !first.is_last));
    CHECK(first.text == limit);
    CHECK((last.line == 2 && last.is_piece && !last.is_first && last.is_last));
    CHECK(last.text.ends_with("xy"));
    CHECK(pieces.lines == 2);
    CHECK(Times(pieces, Stat::line_very_long) == 1);
  }
}

TEST_CASE("cut anywhere, long lines give the same pieces") {
  std::string text = "short\n";
  for (const size_t size : {kMaxLineBytes + 1, 2 * kMaxLineBytes, 2 * kMaxLineBytes + 1,
                            5 * kMaxLineBytes / 2, kMaxLineBytes, kMaxLineBytes - 1}) {
    const size_t start = text.size();
    for (size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i * i % 23);
    text[start] = 'S';
    text += "\nshort again\n\n";
  }
  text.append(3 * kMaxLineBytes, 'e');
  const Outcome whole = ReadWhole(text);
  CHECK(whole.lines == 20);
  CHECK(Times(whole, Stat::line_very_long) == 5);
  for (const size_t size : {size_t{4097}, size_t{65536}, kMaxLineBytes - 1, kMaxLineBytes,
                            kMaxLineBytes + 1, 3 * kMaxLineBytes}) {
    CHECK(ReadBySize(text, size) == whole);
  }
  // Around each newline, where a line may turn out to be long, short or over.
  for (size_t newline = text.find('\n'); newline != std::string::npos;
       newline = text.find('\n', newline + 1)) {
    const std::string_view bytes = text;
    for (size_t cut = newline - 1; cut <= newline + 2 && cut <= bytes.size(); ++cut) {
      CHECK(ReadCut({bytes.substr(0, cut), bytes.substr(cut)}) == whole);
    }
  }
}

TEST_CASE("the pieces of a line tile it, but for what is given again") {
  std::string line(4 * kMaxLineBytes, 'x');
  for (size_t i = 0; i < line.size(); i += 1000) line.replace(i, 9, std::to_string(100000000 + i));
  const Outcome outcome = ReadWhole(line + "\n");
  REQUIRE(outcome.events.size() > 4);
  size_t at = 0;
  for (size_t i = 0; i < outcome.events.size(); ++i) {
    const std::string& piece = outcome.events[i].text;
    CHECK(line.compare(at, piece.size(), piece) == 0);
    CHECK(outcome.events[i].is_first == (i == 0));
    const bool is_last = i + 1 == outcome.events.size();
    CHECK(outcome.events[i].is_last == is_last);
    if (!is_last) CHECK(piece.size() == kMaxLineBytes);
    at += is_last ? piece.size() : piece.size() - (i + 1) * 99991 % (piece.size() / 2 + 1);
  }
  CHECK(at == line.size());
}

TEST_CASE("a sink that takes too little of a piece still comes to the end") {
  struct LazySink : LineSink {
    void OnLines(std::string_view, uint64_t) override {}
    size_t OnPiece(std::string_view, uint64_t, bool, bool is_last) override {
      has_ended |= is_last;
      return 0;
    }
    bool has_ended = false;
  };
  LazySink sink;
  Stats stats;
  const std::string line(3 * kMaxLineBytes, 'x');
  CHECK(ReadChunks({line}, sink, stats, 0).lines == 1);
  CHECK(sink.has_ended);
}

TEST_CASE("line numbers count newlines in texts of any length") {
  std::minstd_rand random(3);
  for (int round = 0; round < 200; ++round) {
    std::string text(random() % 9000, '\n');
    for (char& c : text) {
      if (random() % 3 != 0) c = static_cast<char>(random());
    }
    // Not to be taken for an archive or another encoding.
    text = "text" + text + "\n";
    const Outcome outcome = ReadWhole(text + "end");
    CHECK(outcome.lines == static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n')) + 1);
    CHECK(ReadCut({text, "end"}).events.back() == RecordingSink::Event{outcome.lines, "end"});
  }
}

}  // namespace
}  // namespace shapewise
