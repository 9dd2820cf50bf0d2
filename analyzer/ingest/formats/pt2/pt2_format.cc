#include <string>
#include <utility>
#include <vector>

#include "ingest/formats/pt2/exported_program.h"
#include "ingest/graph_format.h"
#include "llvm/ADT/STLExtras.h"
#include "support/zip_archive.h"

namespace shapewise {
namespace {

constexpr std::string_view kOldProgram = "serialized_exported_program.json";

/// The name of the model in "package/models/NAME.json"; empty for other members.
std::string_view ModelName(std::string_view member) {
  constexpr std::string_view kFolder = "models/";
  const size_t at = member.find(kFolder);
  // Behind one root folder of any name, or none.
  if (at == std::string_view::npos || (at != 0 && member.find('/') + 1 != at)) return {};
  std::string_view name = member.substr(at + kFolder.size());
  if (!name.ends_with(".json") || name.find('/') != std::string_view::npos) return {};
  name.remove_suffix(std::string_view(".json").size());
  return name;
}

bool IsOldProgram(std::string_view member) {
  return member.substr(member.rfind('/') + 1) == kOldProgram;
}

bool IsProgram(const ZipArchive::Member& member) {
  return IsOldProgram(member.name) || !ModelName(member.name).empty();
}

bool SniffPt2(const GraphInput& input) { return ZipArchive::HasMember(input.bytes, IsProgram); }

Error ReadPt2(const GraphInput& input, GraphSet& graphs) {
  graphs.inputs[input.index].lines = 0;
  Expected<ZipArchive> archive = ZipArchive::Open(input.bytes);
  if (!archive) return archive.takeError();
  for (const ZipArchive::Member& member : archive->members()) {
    if (!IsProgram(member)) continue;
    Expected<std::string_view> json = archive->Read(member);
    if (!json) return json.takeError();
    const std::string_view model = ModelName(member.name);
    const std::string name(model.empty() ? "GraphModule" : model);
    if (Error error =
            ReadExportedProgram(*json, name, std::string(member.name), input.index, graphs)) {
      return error;
    }
  }
  return Error::success();
}

}  // namespace

const GraphFormat kPt2Format{SniffPt2, ReadPt2};

}  // namespace shapewise
