#include "cli/settings.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

namespace {

/// An assertion of toml++ failed, which some invalid TOML such as "[!a]" triggers.
struct BrokenAssumption {};

[[noreturn]] void ThrowBrokenAssumption() { throw BrokenAssumption(); }

}  // namespace

// Turns assertions into exceptions in every build: by default toml++ aborts, or continues.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(condition) ((condition) ? void() : ThrowBrokenAssumption())
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "support/nearest_name.h"

namespace shapewise {
namespace {

constexpr llvm::StringLiteral kOwnSettingsFile = "shapewise.toml";
constexpr llvm::StringLiteral kPyprojectFile = "pyproject.toml";

// toml++ 3.3 distinguishes blanks from other characters by tables that miss most characters below
// U+049A and some others: outside of strings, they reach code that its author considered
// unreachable.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr char kMark = '~';
constexpr size_t kWrittenBytes = 4;

/// `toml` without byte order mark, with "~C3~" for each non-ASCII byte; '~' is encoded in the same
/// way. Absent: not UTF-8.
std::optional<std::string> ToAsciiToml(std::string_view toml) {
  if (toml.starts_with(kByteOrderMark)) toml.remove_prefix(kByteOrderMark.size());
  const auto* begin = reinterpret_cast<const llvm::UTF8*>(toml.data());
  if (!llvm::isLegalUTF8String(&begin, begin + toml.size())) return std::nullopt;
  std::string text;
  text.reserve(toml.size());
  for (const char c : toml) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x80 && c != kMark) {
      text += c;
      continue;
    }
    text += kMark;
    text += llvm::hexdigit(byte >> 4);
    text += llvm::hexdigit(byte & 15);
    text += kMark;
  }
  return text;
}

/// Reverses ToAsciiToml for a text or part of one.
std::string FromAsciiToml(std::string_view text) {
  std::string toml;
  while (!text.empty()) {
    const bool is_written = text.size() >= kWrittenBytes && text[0] == kMark && text[3] == kMark &&
                            llvm::isHexDigit(text[1]) && llvm::isHexDigit(text[2]);
    toml += is_written ? static_cast<char>(llvm::hexFromNibbles(text[1], text[2])) : text.front();
    text.remove_prefix(is_written ? kWrittenBytes : 1);
  }
  return toml;
}

/// "pyproject.toml:12: lint.selcet: unknown key"
Error KeyError(const std::string& file, const toml::node& node, const std::string& key,
               const std::string& message) {
  return MakeError(file + ":" + std::to_string(node.source().begin.line) + ": " + key + ": " +
                   message);
}

/// Reads the tables of keys. Every reader takes the full name of its key, for messages.
class TableReader {
 public:
  /// `way_up` leads from the working directory to the folder of `file`: "../", or empty.
  TableReader(std::string file, std::string way_up, Settings& settings)
      : file_(std::move(file)), way_up_(std::move(way_up)), settings_(settings) {}

  Error ReadRoot(const toml::table& table) {
    for (const auto& [key, node] : table) {
      const std::string name = FromAsciiToml(key.str());
      if (name != "lint" && name != "check") return UnknownKey(name, node, {"lint", "check"});
      const toml::table* command = node.as_table();
      if (command == nullptr) return KeyError(file_, node, name, "expected a table");
      if (Error error = ReadCommand(name, *command)) return error;
    }
    return Error::success();
  }

 private:
  Error ReadCommand(const std::string& command, const toml::table& table) {
    const bool is_check = command == "check";
    CommandSettings& settings = is_check ? settings_.check : settings_.lint;
    std::vector<std::string> known;
    for (const char* key : {"select", "ignore", "fail-on", "format", "baseline"}) {
      known.push_back(command + "." + key);
    }
    if (is_check) known.insert(known.end(), {"check.mode", "check.entries", "check.exclude"});
    for (const auto& [key, node] : table) {
      const std::string name = command + "." + FromAsciiToml(key.str());
      Error error = key.str() == "select"             ? ReadTexts(name, node, settings.select)
                    : key.str() == "ignore"           ? ReadTexts(name, node, settings.ignore)
                    : key.str() == "fail-on"          ? ReadText(name, node, settings.fail_on)
                    : key.str() == "format"           ? ReadText(name, node, settings.format)
                    : key.str() == "baseline"         ? ReadPath(name, node, settings.baseline)
                    : is_check && key.str() == "mode" ? ReadText(name, node, settings_.check.mode)
                    : is_check && key.str() == "entries"
                        ? ReadTexts(name, node, settings_.check.entries)
                    : is_check && key.str() == "exclude"
                        ? ReadPatterns(name, node, settings_.check.exclude)
                        : UnknownKey(name, node, {known.begin(), known.end()});
      if (error) return error;
    }
    return Error::success();
  }

  Error UnknownKey(const std::string& name, const toml::node& node,
                   const std::vector<std::string_view>& known) {
    std::string help = DidYouMean(name, known);
    if (help.empty()) {
      help = "; expected ";
      for (size_t i = 0; i < known.size(); ++i) {
        if (i > 0) help += i + 1 == known.size() ? " or " : ", ";
        help += known[i];
      }
    }
    return KeyError(file_, node, name, "unknown key" + help);
  }

  Error ReadText(const std::string& name, const toml::node& node,
                 std::optional<std::string>& value) {
    const std::optional<std::string> text = node.value<std::string>();
    if (!text) return KeyError(file_, node, name, "expected a string");
    value = FromAsciiToml(*text);
    return Error::success();
  }

  /// A path is relative to the folder of the settings file.
  Error ReadPath(const std::string& name, const toml::node& node,
                 std::optional<std::string>& value) {
    if (Error error = ReadText(name, node, value)) return error;
    if (!llvm::sys::path::is_absolute(*value)) value = way_up_ + *value;
    return Error::success();
  }

  /// A pattern with '/' is a path, and relative in the same way.
  Error ReadPatterns(const std::string& name, const toml::node& node,
                     std::optional<std::vector<std::string>>& value) {
    if (Error error = ReadTexts(name, node, value)) return error;
    for (std::string& pattern : *value) {
      const size_t slash = pattern.find('/');
      const bool is_path = slash != std::string::npos && slash + 1 < pattern.size();
      if (is_path && !llvm::sys::path::is_absolute(pattern)) pattern = way_up_ + pattern;
    }
    return Error::success();
  }

  Error ReadTexts(const std::string& name, const toml::node& node,
                  std::optional<std::vector<std::string>>& value) {
    const toml::array* array = node.as_array();
    if (array == nullptr) return KeyError(file_, node, name, "expected a list of strings");
    value.emplace();
    for (const toml::node& element : *array) {
      const std::optional<std::string> text = element.value<std::string>();
      if (!text) return KeyError(file_, element, name, "expected a list of strings");
      value->push_back(FromAsciiToml(*text));
    }
    return Error::success();
  }

  std::string file_;
  std::string way_up_;
  Settings& settings_;
};

/// Maximum number of names in a dotted key. toml++ 3.3 recurses once per name.
constexpr size_t kMaxKeyNames = 64;

/// The end of the first dotted key in `toml` with more than kMaxKeyNames names; npos: none. A
/// string that looks like such a key counts, too.
size_t FindTooDeepKey(std::string_view toml) {
  size_t dots = 0;
  bool name_began = false;
  for (size_t i = 0; i < toml.size(); ++i) {
    const char c = toml[i];
    if (c == '.' && name_began) {
      if (++dots >= kMaxKeyNames) return i;
      name_began = false;
    } else if (llvm::isAlnum(c) || c == '_' || c == '-' || c == '~' || c == '"' || c == '\'') {
      name_began = true;
    } else if (c != ' ' && c != '\t') {
      dots = 0;
      name_began = false;
    }
  }
  return std::string_view::npos;
}

/// The table [tool.shapewise] of a pyproject.toml; null: none.
const toml::table* ToolTable(const toml::table& pyproject) {
  const toml::table* tool = pyproject["tool"].as_table();
  return tool == nullptr ? nullptr : (*tool)["shapewise"].as_table();
}

/// Whether `folder` has settings; if so, reads them into `settings`.
Expected<bool> ReadFolder(llvm::StringRef folder, const std::string& way_up, Settings& settings) {
  for (const llvm::StringRef name : {kOwnSettingsFile, kPyprojectFile}) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, name);
    if (!llvm::sys::fs::exists(path)) continue;
    const std::string file(path);
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(file);
    if (!text) return MakeError(file + ": " + text.getError().message());
    const std::string_view bytes((*text)->getBufferStart(), (*text)->getBufferSize());
    Expected<bool> found = ReadSettings(bytes, {.path = file, .way_up = way_up}, settings);
    if (!found || *found) return found;
  }
  return false;
}

}  // namespace

Expected<bool> ReadSettings(std::string_view text, const SettingsFile& file, Settings& settings) {
  const std::optional<std::string> ascii = ToAsciiToml(text);
  if (!ascii) return MakeError(file.path + ": it is not UTF-8");
  if (const size_t deep = FindTooDeepKey(*ascii); deep != std::string_view::npos) {
    const auto line = std::count(ascii->begin(), ascii->begin() + deep, '\n') + 1;
    return MakeError(file.path + ":" + std::to_string(line) + ": a key has more than " +
                     std::to_string(kMaxKeyNames) + " names");
  }
  toml::parse_result result;
  try {
    result = toml::parse(*ascii);
  } catch (const BrokenAssumption&) {
    return MakeError(file.path + ": it is no TOML");
  }
  if (!result) {
    return MakeError(file.path + ":" + std::to_string(result.error().source().begin.line) + ": " +
                     FromAsciiToml(result.error().description()));
  }
  const bool is_own = llvm::sys::path::filename(file.path) == kOwnSettingsFile;
  const toml::table& table = result.table();
  const toml::table* own = is_own ? &table : ToolTable(table);
  if (own == nullptr) return false;
  if (Error error = TableReader(file.path, file.way_up, settings).ReadRoot(*own)) return error;
  return true;
}

Expected<Settings> LoadSettings(const std::string& start) {
  Settings settings;
  std::string way_up;
  for (llvm::StringRef folder = start; !folder.empty();
       folder = llvm::sys::path::parent_path(folder)) {
    Expected<bool> found = ReadFolder(folder, way_up, settings);
    if (!found) return found.takeError();
    if (*found) break;
    way_up += "../";
  }
  return settings;
}

Expected<Settings> LoadSettingsHere() {
  llvm::SmallString<256> folder;
  if (llvm::sys::fs::current_path(folder)) return Settings();
  return LoadSettings(std::string(folder));
}

}  // namespace shapewise
