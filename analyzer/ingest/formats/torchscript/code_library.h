// All code that one TorchScript archive, or one text, brings.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_LIBRARY_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_LIBRARY_H_

#include <deque>
#include <string>
#include <string_view>

#include "ingest/formats/torchscript/code_file.h"

namespace shapewise {

/// Classes and functions by their qualified names.
class CodeLibrary {
 public:
  /// Takes the file of `module`, "__torch__.torch.nn.modules.linear"; its text must live on.
  void Add(const std::string& module, std::string_view text) {
    const CodeFile& file = files_.emplace_back(ReadCodeFile(text));
    for (const auto& entry : file.classes) {
      classes_[module + "." + entry.first().str()] = &entry.second;
    }
    for (const auto& entry : file.functions) {
      functions_[module + "." + entry.first().str()] = &entry.second;
    }
  }

  /// Null: there is none of that name.
  const CodeClass* FindClass(std::string_view name) const {
    return classes_.lookup(llvm::StringRef(name.data(), name.size()));
  }
  const CodeFunction* FindFunction(std::string_view name) const {
    return functions_.lookup(llvm::StringRef(name.data(), name.size()));
  }

  const std::deque<CodeFile>& files() const { return files_; }

 private:
  std::deque<CodeFile> files_;
  llvm::StringMap<const CodeClass*> classes_;
  llvm::StringMap<const CodeFunction*> functions_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_LIBRARY_H_
