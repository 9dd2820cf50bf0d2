#include "ingest/sizes/size_rows.h"

#include <algorithm>
#include <array>
#include <optional>

#include "llvm/ADT/StringRef.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::array<std::string_view, 4> kCountNames = {"count", "counts", "freq", "frequency"};
constexpr std::array<std::string_view, 2> kShortCountNames = {"n", "weight"};
constexpr std::array<std::string_view, 7> kSizeNames = {"len",  "length", "lengths", "seq_len",
                                                        "size", "sizes",  "tokens"};

bool IsIn(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::any_of(names, [&](std::string_view known) {
    return llvm::StringRef(known).equals_insensitive(llvm::StringRef(name));
  });
}

}  // namespace

bool IsCountName(std::string_view name, bool is_alone) {
  return IsIn(kCountNames, name) || (is_alone && IsIn(kShortCountNames, name));
}

bool IsSizeName(std::string_view name) { return IsIn(kSizeNames, name); }

std::string QuotedNames(std::span<const std::string> names) {
  constexpr size_t kMaxNames = 20;
  std::string text;
  for (const std::string& name : names.first(std::min(names.size(), kMaxNames))) {
    text += (text.empty() ? "'" : ", '") + name + "'";
  }
  if (names.size() > kMaxNames)
    text += " and " + std::to_string(names.size() - kMaxNames) + " more";
  return text;
}

size_t FindColumn(std::string_view wanted, std::span<const std::string> names) {
  const auto exact = std::ranges::find(names, wanted);
  if (exact != names.end()) return static_cast<size_t>(exact - names.begin());
  size_t found = names.size();
  size_t times = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!llvm::StringRef(names[i]).equals_insensitive(llvm::StringRef(wanted))) continue;
    found = i;
    ++times;
  }
  if (times == 1) return found;
  std::string_view digits = wanted;
  const std::optional<uint64_t> number = ConsumeUint(digits);
  const bool is_number = number && digits.empty() && *number >= 1 && *number <= names.size();
  return is_number ? static_cast<size_t>(*number - 1) : names.size();
}

}  // namespace shapewise
