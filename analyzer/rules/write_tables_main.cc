// Writes the rules as C++ while the program is built:
//   write_rule_tables ROOT LIST OUT
// LIST names one file below ROOT a line. Errors of rule files are errors of the build.

#include <deque>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "rules/rule_set.h"
#include "rules/table_writer.h"

namespace shapewise {
namespace {

Expected<std::unique_ptr<llvm::MemoryBuffer>> ReadFile(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) return MakeError(path + ": " + buffer.getError().message());
  return std::move(*buffer);
}

std::string_view View(llvm::StringRef text) { return {text.data(), text.size()}; }

Error WriteRuleTables(const std::string& root, const std::string& list, const std::string& out) {
  Expected<std::unique_ptr<llvm::MemoryBuffer>> paths = ReadFile(list);
  if (!paths) return paths.takeError();
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> texts;
  std::vector<RuleSource> sources;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  (*paths)->getBuffer().split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (const llvm::StringRef path : lines) {
    Expected<std::unique_ptr<llvm::MemoryBuffer>> text = ReadFile(root + "/" + path.str());
    if (!text) return text.takeError();
    sources.push_back({View(path), View((*text)->getBuffer())});
    texts.push_back(std::move(*text));
  }
  Expected<RuleSet> rules = RuleSet::FromFiles(sources);
  if (!rules) return rules.takeError();
  std::error_code error;
  llvm::raw_fd_ostream file(out, error);
  if (!error) {
    file << WriteTables(rules->tables());
    file.close();
    error = file.error();
  }
  return error ? MakeError(out + ": " + error.message()) : Error::success();
}

}  // namespace
}  // namespace shapewise

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  shapewise::Error error = shapewise::WriteRuleTables(argv[1], argv[2], argv[3]);
  if (!error) return 0;
  llvm::errs() << llvm::toString(std::move(error)) << "\n";
  return 1;
}
