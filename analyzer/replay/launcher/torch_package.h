// Finds the installed torch and its release without loading it.

#ifndef SHAPEWISE_REPLAY_LAUNCHER_TORCH_PACKAGE_H_
#define SHAPEWISE_REPLAY_LAUNCHER_TORCH_PACKAGE_H_

#include <string>

namespace shapewise::replay {

/// An installed torch.
struct TorchPackage {
  std::string root;     ///< the folder of the package: ".../site-packages/torch"
  std::string version;  ///< "2.13.0+cpu"; empty: not in its version.py

  /// Without the part after '+', which identifies a build of the release.
  std::string Release() const { return version.substr(0, version.find('+')); }
};

/// Finds torch, in this order: `given`, $SHAPEWISE_TORCH_ROOT, the package that `python3` would
/// import, and the one this program was built with. The first two are used even if nothing is
/// there. An empty root: not found.
TorchPackage FindTorchPackage(const std::string& given);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_LAUNCHER_TORCH_PACKAGE_H_
