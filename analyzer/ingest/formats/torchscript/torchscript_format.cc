#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ingest/formats/torchscript/code_library.h"
#include "ingest/graph_format.h"
#include "llvm/ADT/STLExtras.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"
#include "support/zip_archive.h"

namespace shapewise {
namespace {

/// The module of "net/code/__torch__/a/b.py", "__torch__.a.b"; empty for other members.
std::string ModuleOf(std::string_view member) {
  const size_t root = member.find('/');
  if (root == std::string_view::npos) return {};
  std::string_view path = member.substr(root + 1);
  if (!ConsumeFront(path, "code/") || !path.ends_with(".py")) return {};
  path.remove_suffix(std::string_view(".py").size());
  std::string module(path);
  std::replace(module.begin(), module.end(), '/', '.');
  return module;
}

bool IsCode(const ZipArchive::Member& member) { return !ModuleOf(member.name).empty(); }

/// Reads the pickle "ROOT/NAME"; null if it is not in the archive.
Expected<std::optional<ModuleState>> ReadState(ZipArchive& archive, const std::string& name) {
  const ZipArchive::Member* const member = archive.Find(name);
  if (member == nullptr) return std::optional<ModuleState>();
  Expected<std::string_view> bytes = archive.Read(*member);
  if (!bytes) return bytes.takeError();
  Expected<Pickle> pickle = ReadPickle(*bytes);
  if (!pickle) return MakeError(MakePrintable(name) + ": " + llvm::toString(pickle.takeError()));
  if (const std::string call = ForeignCall(*pickle); !call.empty()) {
    return MakeError("the archive is refused: " + MakePrintable(name) + " wants to call " +
                     MakePrintable(call) + " when Python loads it; nothing of it was run here");
  }
  return std::optional<ModuleState>(std::move(*pickle));
}

/// Adds the methods that users call: forward, or all methods if the class lacks it.
void AddMethods(const CodeClass& type,
                std::vector<std::pair<const CodeClass*, CodeFunction>>& methods) {
  const auto forward = type.methods.find("forward");
  for (const std::string_view name : type.method_names) {
    if (forward != type.methods.end() && name != "forward") continue;
    methods.emplace_back(&type, type.methods.lookup(llvm::StringRef(name)));
  }
}

bool SniffTorchScript(const GraphInput& input) {
  return ZipArchive::HasMember(input.bytes, IsCode);
}

Error ReadTorchScript(const GraphInput& input, GraphSet& graphs) {
  graphs.inputs[input.index].lines = 0;
  Expected<ZipArchive> archive = ZipArchive::Open(input.bytes);
  if (!archive) return archive.takeError();
  CodeLibrary library;
  std::string root;
  for (const ZipArchive::Member& member : archive->members()) {
    const std::string module = ModuleOf(member.name);
    if (module.empty()) continue;
    Expected<std::string_view> code = archive->Read(member);
    if (!code) return code.takeError();
    library.Add(module, *code);
    root = member.name.substr(0, member.name.find('/') + 1);
  }
  Expected<std::optional<ModuleState>> state = ReadState(*archive, root + "data.pkl");
  if (!state) return state.takeError();
  Expected<std::optional<ModuleState>> constants = ReadState(*archive, root + "constants.pkl");
  if (!constants) return constants.takeError();
  if (!*state) {
    return MakeError("the TorchScript archive has no data.pkl, which names its root");
  }
  const std::string class_name = (*state)->ClassOf((*state)->root());
  const CodeClass* const type = library.FindClass(class_name);
  if (type == nullptr) {
    return MakeError("the TorchScript archive has no code of its root '" +
                     MakePrintable(class_name) + "'");
  }
  std::string member = class_name.substr(0, class_name.rfind('.'));
  std::replace(member.begin(), member.end(), '.', '/');
  std::vector<std::pair<const CodeClass*, CodeFunction>> methods;
  AddMethods(*type, methods);
  ReadMethods({library,
               &**state,
               *constants ? &**constants : nullptr,
               {.input = input.index, .format = "torchscript", .name = {}},
               root + "code/" + member + ".py"},
              methods, graphs);
  return Error::success();
}

bool SniffTorchScriptCode(const GraphInput& input) { return LooksLikeCode(input.bytes); }

Error ReadTorchScriptCode(const GraphInput& input, GraphSet& graphs) {
  CodeLibrary library;
  library.Add("__torch__", input.bytes);
  const CodeFile& file = library.files().front();
  std::vector<std::pair<const CodeClass*, CodeFunction>> methods;
  for (const std::string_view type : file.class_names) {
    AddMethods(file.classes.find(llvm::StringRef(type))->second, methods);
  }
  for (const std::string_view function : file.function_names) {
    if (!file.class_names.empty()) break;
    methods.emplace_back(nullptr, file.functions.lookup(llvm::StringRef(function)));
  }
  const GraphOrigin origin{.input = input.index, .format = "torchscript_code", .name = {}};
  ReadMethods({library, nullptr, nullptr, origin, {}}, methods, graphs);
  return Error::success();
}

}  // namespace

const GraphFormat kTorchScriptFormat{SniffTorchScript, ReadTorchScript};

const GraphFormat kTorchScriptCodeFormat{SniffTorchScriptCode, ReadTorchScriptCode};

}  // namespace shapewise
