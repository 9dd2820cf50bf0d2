#include "pipeline/run_end.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace shapewise {
namespace {

constexpr const char* kRunEndSchema = "shapewise.run-end/1";
/// Hidden, so that it is no input when the folder is read.
constexpr const char* kRunEndFile = ".ended.json";

std::string RunEndPath(const std::string& folder) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, kRunEndFile);
  return std::string(path);
}

}  // namespace

void WriteRunEnd(const std::string& folder, int status) {
  std::error_code code;
  llvm::raw_fd_ostream stream(RunEndPath(folder), code);
  if (code) return;
  stream << nlohmann::json{{"schema", kRunEndSchema}, {"status", status}}.dump() << "\n";
  stream.flush();
  stream.clear_error();
}

std::optional<int> ReadRunEnd(const std::string& folder) {
  const auto buffer = llvm::MemoryBuffer::getFile(RunEndPath(folder));
  if (!buffer) return std::nullopt;
  const llvm::StringRef text = (*buffer)->getBuffer();
  const nlohmann::json end =
      nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!end.is_object() || end.value("schema", nlohmann::json()) != kRunEndSchema)
    return std::nullopt;
  const auto status = end.find("status");
  if (status == end.end() || !status->is_number_integer()) return std::nullopt;
  return status->get<int>();
}

}  // namespace shapewise
