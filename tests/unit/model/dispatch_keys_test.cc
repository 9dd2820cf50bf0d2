#include "model/dispatch_keys.h"

#include <string>

#include "support/catch.h"

namespace shapewise {
namespace {

constexpr const char* kDense = "CPU, BackendSelect, ADInplaceOrView, AutogradCPU";

/// What `actual` differs in from a dense tensor on the CPU.
std::string_view Kind(const std::string& actual, const std::string& expected = kDense) {
  return TensorKindName(
      DifferingKind("tensor 'x' dispatch key set mismatch. expected DispatchKeySet(" + expected +
                    "), actual DispatchKeySet(" + actual + ")"));
}

// The sets are those that PyTorch 2.13.0 prints for such tensors.
TEST_CASE("dispatch keys say what kind of tensor came") {
  CHECK(Kind("CPU, BackendSelect, ADInplaceOrView") == "inference");
  CHECK(Kind("CPU, BackendSelect") == "inference");
  CHECK(Kind("Meta, BackendSelect, ADInplaceOrView, AutogradMeta") == "device");
  CHECK(Kind("CUDA, BackendSelect", "CPU, BackendSelect") == "device");
  CHECK(Kind("SparseCPU, BackendSelect, ADInplaceOrView, AutogradCPU") == "layout");
  CHECK(Kind("SparseCsrCUDA, BackendSelect", "CUDA, BackendSelect") == "layout");
  CHECK(Kind("CPU, BackendSelect, Conjugate, ADInplaceOrView, AutogradCPU") == "lazy_view");
  CHECK(Kind("CPU, BackendSelect, Negative, ADInplaceOrView, AutogradCPU") == "lazy_view");
  CHECK(Kind("CPU, BackendSelect, FuncTorchDynamicLayerBackMode, ADInplaceOrView, AutogradCPU, "
             "FuncTorchBatched, FuncTorchDynamicLayerFrontMode") == "transform");
  CHECK(Kind("CPU, BackendSelect, Python, ADInplaceOrView, AutogradCPU, PythonTLSSnapshot") ==
        "subclass");
}

TEST_CASE("dispatch keys that are cut or alike say nothing") {
  CHECK(Kind(kDense) == "unknown");
  CHECK(DifferingKind("tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, Back") ==
        TensorKind::kUnknown);
  CHECK(DifferingKind("") == TensorKind::kUnknown);
}

}  // namespace
}  // namespace shapewise
