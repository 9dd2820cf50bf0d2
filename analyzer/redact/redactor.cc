#include "redact/redactor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SHA256.h"
#include "model/code_owner.h"
#include "support/embedded_file.h"
#include "support/text_scan.h"

namespace shapewise {

std::span<const EmbeddedFile> KeptWords();

namespace {

constexpr std::string_view kName = "name";
constexpr std::string_view kResumePrefix = "torch_dynamo_resume_in_";
constexpr size_t kTokenBytes = 5;  // ten digits: a thousand names collide once in two million runs

using Bytes = llvm::ArrayRef<uint8_t>;
using Digest = std::array<uint8_t, 32>;

Bytes BytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

/// HMAC-SHA256 (RFC 2104).
Digest KeyedHash(std::string_view key, std::string_view text) {
  constexpr size_t kBlock = 64;
  std::array<uint8_t, kBlock> block{};
  if (key.size() > kBlock) {
    const Digest digest = llvm::SHA256::hash(BytesOf(key));
    std::ranges::copy(digest, block.begin());
  } else {
    std::ranges::copy(BytesOf(key), block.begin());
  }
  const auto hash_behind_pad = [&block](uint8_t pad, Bytes bytes) {
    std::vector<uint8_t> all;
    all.reserve(kBlock + bytes.size());
    for (const uint8_t byte : block) all.push_back(byte ^ pad);
    all.insert(all.end(), bytes.begin(), bytes.end());
    return llvm::SHA256::hash(all);
  };
  const Digest inner = hash_behind_pad(0x36, BytesOf(text));
  return hash_behind_pad(0x5c, inner);
}

/// Whether `c` may be part of a name, which includes non-ASCII bytes as in Python.
bool IsNameByte(char c) { return IsWordChar(c) || static_cast<unsigned char>(c) >= 0x80; }

bool IsDigits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, IsDigit); }

std::string_view NameAt(std::string_view text, size_t pos) {
  size_t end = pos;
  while (end < text.size() && IsNameByte(text[end])) ++end;
  return text.substr(pos, end - pos);
}

/// "12", "0x7f", "1e5", "3x16", "2048MB", "12ms": a number with an optional unit.
bool IsNumber(std::string_view word) {
  if (ConsumeFront(word, "0x") || ConsumeFront(word, "0X")) {
    return std::ranges::all_of(word, [](char c) { return llvm::isHexDigit(c); });
  }
  const auto drop_digits = [&word] {
    while (!word.empty() && IsDigit(word.front())) word.remove_prefix(1);
  };
  drop_digits();
  while (word.size() > 1 && IsOneOf(word.substr(0, 1), {"x", "e", "E", "_"}) && IsDigit(word[1])) {
    word.remove_prefix(1);
    drop_digits();
  }
  return word.empty() ||
         IsOneOf(word, {"e",  "E",  "B",  "kB", "KB",  "MB", "GB", "TB", "KiB", "MiB", "GiB",
                        "ms", "us", "ns", "s",  "min", "h",  "x",  "D",  "d",   "th",  "st",
                        "nd", "rd", "j",  "M",  "K",   "k",  "G",  "T",  "W"});
}

/// A PyTorch prefix with a number: "s77", "GB0059", "___stack0".
bool IsNumbered(std::string_view word) {
  size_t digits = 0;
  while (digits < word.size() && IsDigit(word[word.size() - 1 - digits])) ++digits;
  if (digits == 0) return false;
  const std::string_view letters = word.substr(0, word.size() - digits);
  return IsOneOf(letters, {"s", "u", "i", "f", "ps", "zs", "zf", "zuf", "GB", "___stack", "stack",
                           "___context", "__builtins_dict___", "ipykernel_", "primals_",
                           "tangents_", "__compiled_fn_", "rank"});
}

/// The part after the name in "torch_dynamo_resume_in_NAME_at_12_3": "_at_12_3"; empty: none.
std::string_view ResumeEnd(std::string_view rest) {
  const size_t at = rest.rfind("_at_");
  if (at == std::string_view::npos) return {};
  std::string_view numbers = rest.substr(at + 4);
  if (!ConsumeUint(numbers)) return {};
  if (!numbers.empty() && (!ConsumeFront(numbers, "_") || !IsDigits(numbers))) return {};
  return rest.substr(at);
}

/// Whether it is an attribute for the number of a layer, which decides how a changing value is
/// interpreted (see causes/value_pattern.cc).
bool NamesNumberOfLayer(std::string_view word) {
  constexpr std::string_view kEndings[] = {"_idx", "_id", "_index", "_number", "_num", "_i"};
  return (HasText(word, "layer") || HasText(word, "block")) &&
         std::ranges::any_of(kEndings, [&](auto ending) { return word.ends_with(ending); });
}

/// Whether a guard is printed as a sentence: two consecutive words that are not operators.
bool IsSentence(std::string_view guard) {
  bool follows_word = false;
  for (size_t pos = 0; pos < guard.size();) {
    const std::string_view word = NameAt(guard, pos);
    const bool is_word = !word.empty() && !IsDigit(word.front()) &&
                         !IsOneOf(word, {"and", "or", "not", "in", "is", "if", "else"});
    if (is_word && follows_word) return true;
    pos += std::max<size_t>(1, word.size());
    // They must be separated by one blank.
    follows_word = is_word && guard.substr(pos).starts_with(' ');
    if (follows_word) ++pos;
  }
  return false;
}

/// The end of the quotation that begins at `pos`; 0: none. An apostrophe within a word does not
/// quote.
size_t EndOfQuoted(std::string_view text, size_t pos) {
  const char quote = text[pos];
  if (quote != '\'' && quote != '"' && quote != '`') return 0;
  if (pos > 0 && IsNameByte(text[pos - 1])) return 0;
  for (size_t end = text.find(quote, pos + 1); end != std::string_view::npos;
       end = text.find(quote, end + 1)) {
    if (end + 1 == text.size() || !IsNameByte(text[end + 1])) return end;
  }
  return 0;
}

/// Whether the word [begin, end) touches other code: a member, a call, a subscript, a path or a
/// comparison, like "x" in "x.size(0)" and in "mark_static(x, 0)". Punctuation that ends a clause
/// is followed by a blank and does not count.
bool IsPartOfCode(std::string_view text, size_t begin, size_t end) {
  const auto at = [text](size_t pos) { return pos < text.size() ? text[pos] : ' '; };
  const auto joins = [](char c) {
    return std::string_view(".:/\\=<>|-").find(c) != std::string_view::npos;
  };
  const char next = at(end);
  if (next == '(' || next == '[' || next == '{') return true;
  if (joins(next) && at(end + 1) != ' ' && at(end + 1) != '\n') return true;
  if (begin == 0) return false;
  const char before = text[begin - 1];
  const char first = begin < 2 ? ' ' : text[begin - 2];
  if (before == '(' || before == '[' || before == '{') return IsNameByte(first) || first == ']';
  return joins(before) && first != ' ';
}

bool IsPathSeparator(char c) { return c == '/' || c == '\\' || c == ':'; }

/// "python3.11"
bool IsPythonFolder(std::string_view part) {
  return ConsumeFront(part, "python") &&
         std::ranges::all_of(part, [](char c) { return IsDigit(c) || c == '.'; });
}

/// What IsLibraryFile (model/code_owner.cc) knows of torch by.
bool IsTorchFolder(std::string_view part) {
  return part.starts_with('_') ||
         IsOneOf(part, {"nn", "optim", "utils", "distributed", "autograd", "ao", "fx"});
}

/// What IsLibraryFile recognizes as a library at the start of a path.
bool BeginsLibrary(std::string_view part) {
  return IsOneOf(part, {"torch", "_dynamo", "_functorch", "_higher_order_ops", "transformers",
                        "diffusers", "accelerate", "peft", "timm"});
}

using Words = llvm::StringSet<>;

/// The sections of kept_words.txt.
llvm::StringMap<Words> ReadSections() {
  llvm::StringMap<Words> sections;
  Words* section = nullptr;
  for (llvm::StringRef line : llvm::split(KeptWords().front().text, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    if (line.consume_front("[")) {
      section = &sections[line.drop_back()];
      continue;
    }
    for (const llvm::StringRef word : llvm::split(line, ' ')) section->insert(word);
  }
  return sections;
}

/// Whether `word` is in the section "[<section>]" of kept_words.txt.
bool IsKept(std::string_view section, std::string_view word) {
  static const llvm::StringMap<Words> sections = ReadSections();
  return sections.find(llvm::StringRef(section))->second.contains(word);
}

}  // namespace

Redactor::Redactor(RedactorOptions options) : key_(std::move(options.key)) {
  for (std::string& word : options.prose_words) prose_words_.insert(std::move(word));
}

std::string Redactor::TokenOf(std::string_view prefix, std::string_view name) {
  const auto [entry, is_new] = tokens_.try_emplace(std::string(name));
  if (!is_new) return entry->second;
  entry->second = prefix;
  if (has_key()) {
    const Digest digest = KeyedHash(key_, name);
    entry->second += llvm::toHex(Bytes(digest).take_front(kTokenBytes), /*LowerCase=*/true);
  } else {
    entry->second += std::to_string(tokens_.size());
  }
  return entry->second;
}

uint64_t Redactor::RewriteHash(uint64_t hash) {
  if (!has_key()) return hashes_.try_emplace(hash, hashes_.size() + 1).first->second;
  const Digest digest = KeyedHash(key_, std::to_string(hash));
  uint64_t keyed = 0;
  for (size_t i = 0; i < sizeof keyed; ++i) keyed = keyed << 8 | digest[i];
  return keyed;
}

bool Redactor::Stays(TextKind kind, std::string_view word, std::string_view before) const {
  if (IsDigit(word.front())) return IsNumber(word);
  if (IsKept("words", word) || IsNumbered(word)) return true;
  // For "<lambda>", whose resume functions are called "torch_dynamo_resume_in_<lambda>_at_12".
  if (before.ends_with('>') && ResumeEnd(word) == word) return true;
  const bool is_quoted = before.ends_with('\'') || before.ends_with('"');
  if (kind != TextKind::kProse && (kind != TextKind::kGuard || is_quoted)) return false;
  return IsKept("messages", word) || prose_words_.contains(std::string(word));
}

void Redactor::AppendWord(TextKind kind, std::string_view word, std::string_view before,
                          std::string& out) {
  if (Stays(kind, word, before) || word.starts_with("__import_torch_dot_")) {
    out += word;
    return;
  }
  std::string_view name = word;
  if (ConsumeFront(name, kResumePrefix)) {
    const std::string_view end = ResumeEnd(name);
    name.remove_suffix(end.size());
    out += kResumePrefix;
    if (!name.empty()) AppendWord(TextKind::kExpression, name, "", out);
    out += end;
    return;
  }
  out += TokenOf(kName, word);
  if (NamesNumberOfLayer(word)) out += "_layer_idx";
}

void Redactor::RewriteWords(TextKind kind, std::string_view text, std::string& out) {
  size_t pos = 0;
  while (pos < text.size()) {
    const std::string_view word = NameAt(text, pos);
    if (word.empty()) {
      out += text[pos++];
      continue;
    }
    const std::string_view before = text.substr(0, pos);
    AppendWord(kind, word, before, out);
    pos += word.size();
    if (!IsKept("roots", word) || before.ends_with('.')) continue;
    // Names after torch are torch's own, except operators and classes that others register.
    std::string_view last = word;
    while (last != "classes") {
      const std::string_view rest = text.substr(pos);
      const size_t gap = rest.starts_with("::") ? 2 : rest.starts_with('.') ? 1 : 0;
      const std::string_view next = NameAt(rest, gap);
      if (gap == 0 || next.empty() || IsDigit(next.front())) break;
      if (last == "ops" && !IsKept("namespaces", next)) break;
      out += rest.substr(0, gap + next.size());
      pos += gap + next.size();
      last = next;
    }
  }
}

/// Appends one folder or file of a path.
void Redactor::AppendPart(std::string_view part, std::string& out) {
  std::string_view stem = part;
  while (true) {
    const size_t dot = stem.rfind('.');
    if (dot == std::string_view::npos || !IsKept("endings", stem.substr(dot))) break;
    stem = stem.substr(0, dot);
  }
  const bool has_name =
      std::ranges::any_of(stem, [](char c) { return IsNameByte(c) && !IsDigit(c) && c != '_'; });
  if (!has_name || IsNumbered(stem) || IsOneOf(stem, {"_tensor", "_tensor_str"})) {
    out += part;
    return;
  }
  out += TokenOf(kName, stem);
  out += part.substr(stem.size());
}

void Redactor::AppendPath(std::string_view path, std::string& out) {
  if (path.starts_with('<')) return RewriteWords(TextKind::kExpression, path, out);
  const auto part_at = [path](size_t pos) {
    size_t end = pos;
    while (end < path.size() && !IsPathSeparator(path[end])) ++end;
    return path.substr(pos, end - pos);
  };
  std::string_view previous;
  // Inside an installed torch all names are torch's own. A relative path may begin there.
  bool is_in_torch = IsOneOf(part_at(0), {"nn", "optim"}) && IsLibraryFile(path);
  size_t pos = 0;
  while (pos < path.size()) {
    if (IsPathSeparator(path[pos])) {
      out += path[pos++];
      continue;
    }
    const std::string_view part = part_at(pos);
    const std::string_view next = part_at(std::min(pos + part.size() + 1, path.size()));
    const bool is_installed = IsOneOf(previous, {"site-packages", "dist-packages"});
    const bool is_torch = part == "torch" || part == "torch_xla";
    if (part == "..") is_in_torch = false;
    const bool stays = is_in_torch || part == "site-packages" || part == "dist-packages" ||
                       part == "torch_xla" || (part == "lib" && IsPythonFolder(next)) ||
                       (previous == "lib" && IsPythonFolder(part)) ||
                       (part == "torch" && (is_installed || IsTorchFolder(next))) ||
                       (previous == "torch" && IsTorchFolder(part) && !next.empty()) ||
                       (pos == 0 && !next.empty() && BeginsLibrary(part));
    if (stays) {
      out += part;
    } else {
      AppendPart(part, out);
    }
    is_in_torch = is_in_torch || (is_torch && is_installed);
    previous = part;
    pos += part.size();
  }
}

std::string Redactor::Rewrite(TextKind kind, std::string_view text) {
  const auto stays = [](char c) { return IsWordChar(c) || c == ':' || c == '.' || c == '-'; };
  if (kind == TextKind::kWord && std::ranges::all_of(text, stays)) return std::string(text);
  std::string out;
  if (kind == TextKind::kPath) {
    AppendPath(text, out);
  } else {
    const bool is_prose =
        kind == TextKind::kProse || (kind == TextKind::kGuard && IsSentence(text));
    RewriteWords(is_prose ? kind : TextKind::kExpression, text, out);
  }
  return out;
}

std::string Redactor::RewriteCode(std::string_view text) const {
  std::string out;
  size_t pos = 0;
  size_t quoted_end = 0;
  while (pos < text.size()) {
    const std::string_view word = NameAt(text, pos);
    if (word.empty()) {
      if (pos >= quoted_end) quoted_end = EndOfQuoted(text, pos);
      out += text[pos++];
      continue;
    }
    const bool is_code = pos < quoted_end || IsPartOfCode(text, pos, pos + word.size());
    const auto known = is_code ? tokens_.find(std::string(word)) : tokens_.end();
    out += known == tokens_.end() ? std::string(word) : known->second;
    pos += word.size();
  }
  return out;
}

}  // namespace shapewise
