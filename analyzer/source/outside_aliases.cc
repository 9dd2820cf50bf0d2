// Aliases of names.

#include <algorithm>
#include <string_view>
#include <tuple>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "source/outside.h"
#include "source/outside_table.h"

namespace shapewise {
namespace {

/// Packages that have the same names as another one.
struct PackageAlias {
  std::string_view package;
  std::string_view standard;
};

constexpr PackageAlias kPackageAliases[] = {
    {"torch.distributions.", "torch.distributions."},
    {"torch.distributed.distributed_c10d.", "torch.distributed."},
    {"torch.functional.", "torch."},
    {"torch.nn.modules.", "torch.nn."},
    {"torch._tensor.", "torch."},
    {"numpy.core.", "numpy."},
};

/// The standard names in aliases.txt, by the others.
llvm::DenseMap<llvm::StringRef, std::string_view> ReadAliases() {
  llvm::DenseMap<llvm::StringRef, std::string_view> standards;
  const auto files = OutsideTables();
  llvm::StringRef text = std::ranges::find_if(files, IsAliasFile)->text;
  llvm::StringRef standard;
  while (!text.empty()) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    if (line.empty() || line.front() == '#') continue;
    if (line.front() != ' ') std::tie(standard, line) = line.split(": ");
    for (line = line.ltrim(); !line.empty();) {
      llvm::StringRef name;
      std::tie(name, line) = line.split(' ');
      standards[name] = standard;
    }
  }
  return standards;
}

}  // namespace

std::string_view CanonicalName(std::string_view dotted) {
  static const llvm::DenseMap<llvm::StringRef, std::string_view> aliases = ReadAliases();
  const auto found = aliases.find({dotted.data(), dotted.size()});
  if (found != aliases.end()) return found->second;
  for (const PackageAlias& alias : kPackageAliases) {
    if (!dotted.starts_with(alias.package)) continue;
    const std::string_view last = dotted.substr(dotted.rfind('.') + 1);
    const OutsideRow row = FindOutside(alias.standard, last);
    if (row.group != nullptr) return row.name;
  }
  return dotted;
}

}  // namespace shapewise
