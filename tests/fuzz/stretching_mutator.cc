#include "fuzz/stretching_mutator.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <utility>

#include "support/random.h"

namespace shapewise {
namespace {

/// Growth of an ordinary mutation; only a few go further, since long inputs take long to run.
constexpr size_t kShortGrowth = 4096;

/// How far the other end of a bracket, a list item or a call is looked for.
constexpr size_t kMaxPieceBytes = 64 * 1024;

/// How many places are tried for a bracket to begin at.
constexpr size_t kMaxSteps = 256;

constexpr std::string_view kOpening = "([{<";
constexpr std::string_view kClosing = ")]}>";

/// A part of the text.
struct Piece {
  size_t begin = 0;
  size_t end = 0;

  size_t size() const { return end - begin; }
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsWord(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// One mutation of one text.
class TextStretcher {
 public:
  TextStretcher(std::string_view text, size_t max_size, uint64_t seed, uint64_t long_share)
      : text_(text.substr(0, max_size)), max_size_(max_size), random_(seed) {
    is_long_ = random_.Below(long_share) == 0;
  }

  std::string Run() {
    std::string result = Mutate();
    // Parts that were moved or nested may not fit; the rest of such a text is as good as any.
    if (result.size() > max_size_) result.resize(max_size_);
    return result;
  }

 private:
  std::string Mutate() {
    switch (random_.Below(20)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return Repeat(PickPiece(), /*is_numbered=*/false);
      case 4:
      case 5:
      case 6:
        return Repeat(PickPiece(), /*is_numbered=*/true);
      case 7:
      case 8:
      case 9:
        return StretchOneByte();
      case 10:
      case 11:
        return Nest();
      case 12:
        return NestBlock();
      case 13:
        return InsertBlankLines();
      case 14:
      case 15:
        return Cut();
      case 16:
        return Swap();
      case 17:
        return CopyElsewhere();
      case 18:
        return JoinLines();
      default:
        return ReplaceWord();
    }
  }

  std::string_view TextOf(Piece piece) const { return text_.substr(piece.begin, piece.size()); }

  /// A number from 1 to `most`, each doubling as likely as the next.
  size_t PickSize(size_t most) {
    if (most <= 1) return most;
    const auto bits = static_cast<uint64_t>(std::bit_width(most));
    const size_t scale = size_t{1} << random_.Below(bits);
    return std::min(most, scale + random_.Below(scale));
  }

  /// Bytes by which the text should grow; long growth is at least kShortGrowth, if there is room.
  size_t PickGrowth() {
    const size_t room = max_size_ - text_.size();
    if (!is_long_ || room <= kShortGrowth) return PickSize(std::min(room, kShortGrowth));
    return std::min(room, kShortGrowth * PickSize(room / kShortGrowth));
  }

  size_t PickPlace() { return text_.empty() ? 0 : random_.Below(text_.size()); }

  size_t LineBegin(size_t place) const {
    if (place == 0) return 0;
    const size_t newline = text_.rfind('\n', place - 1);
    return newline == std::string_view::npos ? 0 : newline + 1;
  }

  /// Where the line after the one at `place` begins.
  size_t NextLine(size_t place) const {
    const size_t newline = text_.find('\n', place);
    return newline == std::string_view::npos ? text_.size() : newline + 1;
  }

  Piece PickLine() {
    const size_t place = PickPlace();
    return {LineBegin(place), NextLine(place)};
  }

  Piece PickLines() {
    Piece lines = PickLine();
    for (size_t more = PickSize(16); more > 1; --more) lines.end = NextLine(lines.end);
    return lines;
  }

  /// From a line to the next one that begins with the same two bytes: a message with the lines
  /// that belong to it, one entry of a list, one event.
  Piece PickRecord() {
    Piece record = PickLine();
    const std::string_view head = text_.substr(record.begin, 2);
    for (int lines = 0; lines < 64 && record.end < text_.size(); ++lines) {
      if (text_.substr(record.end, 2) == head) break;
      record.end = NextLine(record.end);
    }
    return record;
  }

  Piece WordAt(size_t place) const {
    Piece word{place, place};
    while (word.begin > 0 && IsWord(text_[word.begin - 1])) --word.begin;
    while (word.end < text_.size() && IsWord(text_[word.end])) ++word.end;
    return word;
  }

  /// The bracket or the quoted text that begins at `place`; empty where none does or it has no end.
  Piece BracketAt(size_t place) const {
    const char open = text_[place];
    const size_t limit = std::min(text_.size(), place + kMaxPieceBytes);
    if (open == '"' || open == '\'') {
      const size_t end = text_.substr(0, limit).find(open, place + 1);
      return end == std::string_view::npos ? Piece{} : Piece{place, end + 1};
    }
    const size_t kind = kOpening.find(open);
    if (kind == std::string_view::npos) return {};
    size_t depth = 0;
    for (size_t i = place; i < limit; ++i) {
      if (text_[i] == open) ++depth;
      if (text_[i] == kClosing[kind] && --depth == 0) return {place, i + 1};
    }
    return {};
  }

  Piece PickBracket() {
    size_t place = PickPlace();
    for (size_t step = 0; step < kMaxSteps && place < text_.size(); ++step, ++place) {
      const Piece bracket = BracketAt(place);
      if (bracket.size() > 0) return bracket;
    }
    return {};
  }

  /// ".name" with its arguments, where there are some: a link of a chain.
  Piece PickLink() {
    const size_t dot = text_.find('.', PickPlace());
    if (dot == std::string_view::npos) return {};
    Piece link{dot, WordAt(dot + 1).end};
    if (link.end < text_.size()) {
      const Piece arguments = BracketAt(link.end);
      if (arguments.size() > 0) link.end = arguments.end;
    }
    return link;
  }

  /// From a separator to where it comes again: an item of a list, a part of a path, a key.
  Piece PickItem() {
    size_t place = PickPlace();
    while (place < text_.size() && IsWord(text_[place])) ++place;
    if (place >= text_.size()) return {};
    const std::string_view near = text_.substr(place, kMaxPieceBytes);
    const size_t again = near.find(near.front(), 1);
    return {place, place + (again == std::string_view::npos ? 1 : again)};
  }

  Piece PickBytes() {
    const size_t begin = PickPlace();
    return {begin, std::min(text_.size(), begin + PickSize(32))};
  }

  Piece PickPiece() {
    Piece piece;
    switch (random_.Below(8)) {
      case 0:
        piece = PickLine();
        break;
      case 1:
        piece = PickLines();
        break;
      case 2:
        piece = PickRecord();
        break;
      case 3:
        piece = WordAt(PickPlace());
        break;
      case 4:
        piece = PickBracket();
        break;
      case 5:
        piece = PickLink();
        break;
      case 6:
        piece = PickItem();
        break;
      default:
        break;
    }
    return piece.size() > 0 ? piece : PickBytes();
  }

  /// The text with `inserted` at `place`.
  std::string Insert(size_t place, std::string_view inserted) const {
    std::string result;
    result.reserve(text_.size() + inserted.size());
    result += text_.substr(0, place);
    result += inserted;
    result += text_.substr(place);
    return result;
  }

  /// `piece` in which one of its numbers is larger by `step`; where it has none, a number follows
  /// its first word.
  static void AppendNumbered(std::string_view piece, Piece number, uint64_t step,
                             std::string& result) {
    uint64_t value = 0;
    std::from_chars(piece.data() + number.begin, piece.data() + number.end, value);
    result += piece.substr(0, number.begin);
    result += std::to_string(value + step);
    result += piece.substr(number.end);
  }

  Piece PickNumber(std::string_view piece) {
    const size_t from = random_.Below(piece.size());
    for (size_t step = 0; step < piece.size(); ++step) {
      const size_t place = (from + step) % piece.size();
      if (!IsDigit(piece[place])) continue;
      Piece number{place, place};
      while (number.end < piece.size() && IsDigit(piece[number.end])) ++number.end;
      return number;
    }
    const auto word = std::ranges::find_if(piece, IsWord);
    const auto end = std::find_if_not(word, piece.end(), IsWord);
    const auto place = static_cast<size_t>(end - piece.begin());
    return {place, place};
  }

  std::string Repeat(Piece piece, bool is_numbered) {
    if (piece.size() == 0) return std::string(text_);
    const std::string_view once = TextOf(piece);
    const size_t growth = PickGrowth();
    std::string copies;
    copies.reserve(growth + once.size());
    const Piece number = is_numbered ? PickNumber(once) : Piece{};
    for (uint64_t step = 1; copies.size() + once.size() <= growth; ++step) {
      if (is_numbered) {
        AppendNumbered(once, number, step, copies);
      } else {
        copies += once;
      }
    }
    // Without a line end of its own a last line would run into its copy.
    const bool is_last_line = piece.end == text_.size() && once.back() != '\n' &&
                              (piece.begin == 0 || text_[piece.begin - 1] == '\n');
    if (is_last_line) copies.insert(0, "\n");
    return Insert(piece.end, copies);
  }

  std::string StretchOneByte() {
    constexpr std::string_view kBytes = "a0 _.\t(\"\\\xc3";
    const size_t place = PickPlace();
    const bool is_own = !text_.empty() && random_.Below(2) == 0;
    const char byte = is_own ? text_[place] : kBytes[random_.Below(kBytes.size())];
    return Insert(place, std::string(PickGrowth(), byte));
  }

  /// Puts what surrounds a part of a piece around that part, again and again: f(x) becomes
  /// f(f(f(x))), a bracket a nest of brackets.
  std::string Nest() {
    const Piece outer = PickBracket();
    if (outer.size() < 2) {
      const size_t kind = random_.Below(kOpening.size());
      const Piece word = WordAt(PickPlace());
      const size_t depth = PickGrowth() / 2;
      std::string result(text_.substr(0, word.begin));
      result.append(depth, kOpening[kind]);
      result += TextOf(word);
      result.append(depth, kClosing[kind]);
      result += text_.substr(word.end);
      return result;
    }
    // The part that is surrounded: another bracket within, or nothing at all.
    Piece inner{outer.begin + 1, outer.begin + 1};
    const size_t from = outer.begin + 1 + random_.Below(outer.size() - 1);
    for (size_t place = from; place + 1 < std::min(outer.end, from + kMaxSteps); ++place) {
      const Piece bracket = BracketAt(place);
      if (bracket.size() == 0 || bracket.end >= outer.end) continue;
      inner = bracket;
      break;
    }
    // What a call calls goes along.
    const Piece whole{random_.Below(2) == 0 ? WordAt(outer.begin).begin : outer.begin, outer.end};
    const std::string_view before = text_.substr(whole.begin, inner.begin - whole.begin);
    const std::string_view after = text_.substr(inner.end, whole.end - inner.end);
    const size_t depth = PickGrowth() / (before.size() + after.size());
    std::string result(text_.substr(0, whole.begin));
    for (size_t i = 0; i < depth; ++i) result += before;
    result += TextOf(whole);
    for (size_t i = 0; i < depth; ++i) result += after;
    result += text_.substr(whole.end);
    return result;
  }

  /// Repeats a line that opens a block, each time one column further in.
  std::string NestBlock() {
    const Piece line = PickLine();
    const Piece body{line.end, line.end < text_.size() ? NextLine(line.end) : line.end};
    const size_t growth = PickGrowth();
    std::string result(text_.substr(0, line.end));
    std::string indent;
    while (result.size() - line.end + indent.size() + line.size() < growth) {
      indent += ' ';
      result += indent;
      result += TextOf(line);
    }
    result += indent;
    result += TextOf(body);
    result += text_.substr(body.end);
    return result;
  }

  std::string InsertBlankLines() {
    constexpr std::string_view kBlank[] = {"\n", "\r\n", "    \n", "\t\n", "#\n"};
    const std::string_view blank = kBlank[random_.Below(std::size(kBlank))];
    std::string lines;
    for (size_t count = PickGrowth() / blank.size(); count > 0; --count) lines += blank;
    return Insert(NextLine(PickPlace()), lines);
  }

  /// Cuts a piece out; of a long text mostly a long one, so that texts get short again.
  std::string Cut() {
    Piece piece = PickPiece();
    if (text_.size() > kMaxPieceBytes && random_.Below(4) != 0) {
      piece.begin = PickPlace();
      piece.end = piece.begin + random_.Below(text_.size() - piece.begin + 1);
    }
    if (random_.Below(8) == 0) piece.end = text_.size();
    std::string result(text_.substr(0, piece.begin));
    result += text_.substr(piece.end);
    return result;
  }

  std::string Swap() {
    Piece first = PickPiece();
    Piece second = PickPiece();
    if (second.begin < first.begin) std::swap(first, second);
    if (second.begin < first.end) return std::string(text_);
    std::string result(text_.substr(0, first.begin));
    result += TextOf(second);
    result += text_.substr(first.end, second.begin - first.end);
    result += TextOf(first);
    result += text_.substr(second.end);
    return result;
  }

  std::string CopyElsewhere() {
    const std::string_view piece = TextOf(PickPiece());
    const size_t room = max_size_ - text_.size();
    const bool is_at_line = random_.Below(2) == 0;
    const size_t place = is_at_line ? LineBegin(PickPlace()) : PickPlace();
    return Insert(place, piece.substr(0, room));
  }

  /// Glues lines together: their ends vanish or become something else.
  std::string JoinLines() {
    constexpr std::string_view kInstead[] = {"", " ", "\\n", ", ", "\r"};
    const std::string_view instead = kInstead[random_.Below(std::size(kInstead))];
    size_t place = LineBegin(PickPlace());
    std::string result(text_.substr(0, place));
    for (size_t lines = PickSize(is_long_ ? max_size_ : 64); lines > 0; --lines) {
      const size_t next = NextLine(place);
      if (next == place || text_[next - 1] != '\n') break;
      result += text_.substr(place, next - 1 - place);
      result += instead;
      place = next;
    }
    result += text_.substr(place);
    return result;
  }

  /// Replaces a word by another one of the text, here or wherever it stands.
  std::string ReplaceWord() {
    const Piece place = WordAt(PickPlace());
    const std::string_view word = TextOf(place);
    const std::string_view other = TextOf(WordAt(PickPlace()));
    if (word.empty()) return std::string(text_);
    std::string result;
    if (random_.Below(2) == 0) {
      result += text_.substr(0, place.begin);
      result += other;
      result += text_.substr(place.end);
      return result;
    }
    size_t at = 0;
    while (at < text_.size() && result.size() < max_size_) {
      const size_t found = text_.find(word, at);
      if (found == std::string_view::npos) break;
      result += text_.substr(at, found - at);
      result += other;
      at = found + word.size();
    }
    result += text_.substr(at);
    return result;
  }

  std::string_view text_;
  size_t max_size_;
  Random random_;
  bool is_long_ = false;
};

/// The place of a line of `text` that is picked at random: where it begins.
size_t PickLineBegin(std::string_view text, Random& random) {
  if (text.empty()) return 0;
  const size_t newline = text.rfind('\n', random.Below(text.size()));
  return newline == std::string_view::npos ? 0 : newline + 1;
}

std::string Interleave(std::string_view first, std::string_view second, size_t max_size) {
  std::string result;
  const auto take_line = [&](std::string_view& text) {
    const size_t newline = text.find('\n');
    const size_t size = newline == std::string_view::npos ? text.size() : newline + 1;
    result += text.substr(0, size);
    text.remove_prefix(size);
  };
  while (result.size() < max_size && !(first.empty() && second.empty())) {
    take_line(first);
    take_line(second);
  }
  return result;
}

}  // namespace

std::string StretchText(std::string_view text, size_t max_size, uint64_t seed,
                        uint64_t long_share) {
  return TextStretcher(text, max_size, seed, long_share).Run();
}

std::string SpliceTexts(std::string_view first, std::string_view second, size_t max_size,
                        uint64_t seed) {
  Random random(seed);
  std::string result;
  const size_t place = PickLineBegin(first, random);
  const size_t other = PickLineBegin(second, random);
  switch (random.Below(3)) {
    case 0: {
      const size_t end = other + random.Below(second.size() - other + 1);
      result += first.substr(0, place);
      result += second.substr(other, end - other);
      result += first.substr(place);
      break;
    }
    case 1:
      result += first.substr(0, place);
      result += second.substr(other);
      break;
    default:
      result = Interleave(first, second, max_size);
  }
  if (result.size() > max_size) result.resize(max_size);
  return result;
}

}  // namespace shapewise
