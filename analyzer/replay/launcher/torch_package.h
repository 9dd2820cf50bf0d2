// Where the installed torch is, and which release it is, without loading anything of it.

#ifndef SHAPEWISE_REPLAY_LAUNCHER_TORCH_PACKAGE_H_
#define SHAPEWISE_REPLAY_LAUNCHER_TORCH_PACKAGE_H_

#include <string>

namespace shapewise::replay {

/// An installed torch.
struct TorchPackage {
  std::string root;     ///< the folder of the package: ".../site-packages/torch"
  std::string version;  ///< "2.13.0+cpu"; empty: its version.py does not tell

  /// Without what stands behind '+', which names a build of the same release.
  std::string Release() const { return version.substr(0, version.find('+')); }
};

/// Where torch is looked for, first to last: `given`, $SHAPEWISE_TORCH_ROOT, the package that
/// `python3` would import, and what this program was built with. What is named by the first two is
/// taken even if nothing is there. An empty root: none was found.
TorchPackage FindTorchPackage(const std::string& given);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_LAUNCHER_TORCH_PACKAGE_H_
