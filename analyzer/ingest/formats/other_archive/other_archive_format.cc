// Archives and pickles without a graph: recognised in order to explain what they are and what to
// do.

#include "ingest/formats/torchscript/pickle_reader.h"
#include "ingest/graph_format.h"
#include "llvm/ADT/STLExtras.h"
#include "support/zip_archive.h"

namespace shapewise {
namespace {

/// The message for an archive with a member whose path contains `mark`; the first match is used.
struct KnownArchive {
  std::string_view mark;
  std::string_view message;
};
constexpr KnownArchive kKnownArchives[] = {
    {"data/aotinductor/",
     "it is an AOTInductor package: compiled code, not a graph; save the exported program itself "
     "with torch.export.save"},
    {".wrapper.so",
     "it is an AOTInductor package: compiled code, not a graph; save the exported program itself "
     "with torch.export.save"},
    {"bytecode.pkl",
     "it is an archive for the lite interpreter without code: its bytecode is not read; save the "
     "module with torch.jit.save"},
    {"model.json",
     "it is a TorchScript archive of a PyTorch before 1.4, which is not read; load it and save it "
     "again with torch.jit.save"},
    {"data.pkl",
     "it is a checkpoint of tensors, not a graph; save the program with torch.export.save or "
     "torch.jit.save"},
};

bool SniffOtherArchive(const GraphInput& input) {
  return LooksLikeZip(input.bytes) || LooksLikePickle(input.bytes);
}

Error ReadOtherArchive(const GraphInput& input, GraphSet& graphs) {
  graphs.inputs[input.index].lines = 0;
  if (!LooksLikeZip(input.bytes)) {
    return MakeError(
        "it is a pickle, such as torch.save wrote before 1.6: a checkpoint of tensors, not a "
        "graph; save the program with torch.export.save or torch.jit.save");
  }
  Expected<ZipArchive> archive = ZipArchive::Open(input.bytes);
  if (!archive) return archive.takeError();
  for (const KnownArchive& known : kKnownArchives) {
    const bool fits = llvm::any_of(archive->members(), [&](const ZipArchive::Member& member) {
      return member.name.find(known.mark) != std::string_view::npos;
    });
    if (fits) return MakeError(std::string(known.message));
  }
  return MakeError("it is a zip archive, but none that torch.export.save or torch.jit.save made");
}

}  // namespace

const GraphFormat kOtherArchiveFormat{SniffOtherArchive, ReadOtherArchive};

}  // namespace shapewise
