#include "support/mapped_file.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

namespace shapewise {
namespace {

// A mapping, stored where a signal handler can read it: without locks or heap memory.
struct Slot {
  std::atomic<uintptr_t> begin = 0;  // 0: free
  std::atomic<size_t> size = 0;
  std::atomic<bool> was_cut = false;
};

// Each thread reads one file; if there are more, they are read instead of mapped.
std::array<Slot, 64> slots;
uintptr_t page_bytes = 0;
struct sigaction action_before{};

bool IsWithin(const Slot& slot, uintptr_t address) {
  const uintptr_t begin = slot.begin.load();
  return begin != 0 && address >= begin && address - begin < slot.size.load();
}

// Replaces the lost pages by zeros, from the accessed page to the end.
void OnBusError(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (Slot& slot : slots) {
    if (!IsWithin(slot, address)) continue;
    const uintptr_t page = address - address % page_bytes;
    const size_t lost = slot.begin.load() + slot.size.load() - page;
    void* const zeros = ::mmap(reinterpret_cast<void*>(page), lost, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (zeros == MAP_FAILED) break;
    slot.was_cut = true;
    return;
  }
  // Not ours: restore the previous action, so that the signal repeats and has its usual effect.
  ::sigaction(SIGBUS, &action_before, nullptr);
}

void CatchBusErrors() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action{};
    action.sa_sigaction = OnBusError;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &action_before);
  });
}

Slot* SlotOf(const llvm::MemoryBuffer& bytes) {
  for (Slot& slot : slots) {
    if (slot.begin.load() == reinterpret_cast<uintptr_t>(bytes.getBufferStart())) return &slot;
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<MappedFile> MappedFile::Map(int descriptor, size_t size) {
  CatchBusErrors();
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return nullptr;
  for (Slot& slot : slots) {
    uintptr_t free = 0;
    if (!slot.begin.compare_exchange_strong(free, reinterpret_cast<uintptr_t>(address))) continue;
    slot.was_cut = false;
    slot.size = size;
    return std::unique_ptr<MappedFile>(new MappedFile(static_cast<const char*>(address), size));
  }
  ::munmap(address, size);
  return nullptr;
}

MappedFile::~MappedFile() {
  Slot* const slot = SlotOf(*this);
  ::munmap(const_cast<char*>(getBufferStart()), getBufferSize());
  slot->size = 0;
  slot->begin = 0;
}

bool MappedFile::WasCut(const llvm::MemoryBuffer& bytes) {
  const Slot* const slot = SlotOf(bytes);
  return slot != nullptr && slot->was_cut.load();
}

}  // namespace shapewise
