#include "solvers/dense/lu/lu_modes.h"

#include "solvers/dense/lu/lu_blocked.h"
#include "solvers/dense/lu/lu_complete.h"
#include "solvers/dense/lu/lu_cpu.h"
#include "solvers/dense/lu/lu_mode.h"
#include "solvers/tuning/tuning.h"

namespace tl {

Settings settings_of(LuBlocks& blocks) {
    static const SettingsOf<LuBlocks> all{
        {"leaf", &LuBlocks::leaf, 0, kMostLeaf, "",
         "columns of a panel on a GPU, an even number; 0: auto, as tuned, or by the size of the "
         "matrix"},
        {"block", &LuBlocks::block, 0, 1024, "",
         "columns per update of the matrix; 0: auto, as tuned, or by its size"},
        {"look-ahead", &LuBlocks::look_ahead,
         "whether a GPU factorises the next panel beside the update"},
    };
    return all.of(blocks);
}

namespace {

/// Sets widths that the settings leave open to those that were measured on the machine.
template <class T>
void take_tuned(const Device& device, int steps, LuBlocks& blocks) {
    if (blocks.leaf != 0 || blocks.block != 0) return;
    auto* tuned = tuning_of_machine().find(device.name(), "lu", sizeof(T), steps);
    if (!tuned) return;
    blocks.leaf = std::min(tuned->leaf, kMostLeaf);
    blocks.block = tuned->block;
}

class CpuBlockedLu final : public LuMode<CpuBlockedLu> {
  public:
    CpuBlockedLu() : LuMode("blocked") {}

    Settings settings() override { return settings_of(blocks_); }
    template <class T>
    void run(Stream& stream, LuFactors<T>& factors, SolverRun& run) {
        constexpr int kBlock = 64;
        auto blocks = blocks_;
        take_tuned<T>(stream.device(), static_cast<int>(factors.swaps.size()), blocks);
        factorise_on_cpu<T>(factors.lu.view(), factors.swaps,
                            blocks.block > 0 ? blocks.block : kBlock,
                            [&](double done) { run.report(done); });
    }

  private:
    LuBlocks blocks_;
};

class BlockedLu final : public LuMode<BlockedLu> {
  public:
    BlockedLu(const char* id, LuBlocks blocks) : LuMode(id), blocks_(blocks) {}

    Settings settings() override { return settings_of(blocks_); }
    template <class T>
    void run(Stream& stream, LuFactors<T>& factors, SolverRun& run) {
        DeviceArray<int> on_device(stream, factors.swaps.size());
        auto blocks = blocks_;
        take_tuned<T>(stream.device(), static_cast<int>(factors.swaps.size()), blocks);
        blocks.leaf += blocks.leaf % 2;
        TL_DISPATCH(stream.device(),
                    factorise_by_blocks<T>(stream, factors.lu.view(), on_device.view(), blocks,
                                           [&](double done) { run.report(done); }));
        factors.swaps = on_device.download(stream);
    }

  private:
    LuBlocks blocks_;
};

class CompleteLu final : public LuMode<CompleteLu> {
  public:
    CompleteLu() : LuMode("complete") {}

    template <class T>
    void run(Stream& stream, LuFactors<T>& factors, SolverRun& run) {
        auto a = factors.lu.view();
        auto exchanges = eliminate_completely<T>(stream, a, a.cols, 0, run);
        factors.swaps = std::move(exchanges.rows);
        factors.column_swaps = std::move(exchanges.columns);
    }
};

}  // namespace

std::unique_ptr<LuSolver> make_lu_blocked() {
    return std::make_unique<CpuBlockedLu>();
}
std::unique_ptr<LuSolver> make_lu_blocked_cuda() {
    return std::make_unique<BlockedLu>("blocked", LuBlocks{});
}
std::unique_ptr<LuSolver> make_lu_tf32() {
    return std::make_unique<BlockedLu>("blocked-tf32", LuBlocks{.tf32 = true});
}
std::unique_ptr<LuSolver> make_lu_pairs() {
    return std::make_unique<BlockedLu>("pairs", LuBlocks{.leaf = 32, .pivoting = Pivoting::pairs});
}
std::unique_ptr<LuSolver> make_lu_geometric_pairs() {
    return std::make_unique<BlockedLu>("pairs-geometric",
                                       LuBlocks{.leaf = 32, .pivoting = Pivoting::geometric_pairs});
}
std::unique_ptr<LuSolver> make_lu_complete() {
    return std::make_unique<CompleteLu>();
}

}  // namespace tl
