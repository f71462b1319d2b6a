#include "solvers/queue/fused.h"

#include <algorithm>

namespace tl {
namespace {

/// Slots in use and the steps so far.
class ChainWriter {
  public:
    ChainWriter(std::span<const FusedNode> nodes, FusedChain& chain)
        : nodes_(nodes), chain_(chain) {
        chain = {};
    }

    bool write() {
        for (std::size_t n = 0; n < nodes_.size(); ++n)
            if (!write_node(n)) return false;
        chain_.program.n_inputs = static_cast<int>(chain_.inputs.size());
        chain_.program.n_outputs = static_cast<int>(chain_.outputs.size());
        return true;
    }

  private:
    static constexpr int kNone = -1;

    static int n_inputs(const FusedNode& node) { return node.op.form == ElementForm::both ? 2 : 1; }

    bool write_node(std::size_t n) {
        auto& node = nodes_[n];
        int slots[2] = {0, 0};
        for (int i = 0; i < n_inputs(node); ++i) {
            slots[i] = slot_with(node.inputs[i]);
            if (slots[i] == kNone) slots[i] = load(node.inputs[i]);
            if (slots[i] == kNone) return false;
        }
        // A slot whose value has no further use takes the result.
        for (int i = 0; i < n_inputs(node); ++i)
            if (!is_used_after(n, node.inputs[i])) values_[slots[i]] = 0;
        int to = slot_with(0);
        if (to == kNone) return false;
        if (!add({FusedAction::compute, node.op, byte(slots[0]), byte(slots[1]), byte(to)}))
            return false;
        values_[to] = node.output;
        if (node.stored && !store(node.output, to)) return false;
        if (!is_used_after(n, node.output)) values_[to] = 0;
        return true;
    }

    static std::uint8_t byte(int slot) { return static_cast<std::uint8_t>(slot); }

    [[nodiscard]] bool is_used_after(std::size_t n, std::uint64_t value) const {
        return std::ranges::any_of(nodes_.subspan(n + 1), [&](const FusedNode& node) {
            return node.inputs[0] == value || (n_inputs(node) == 2 && node.inputs[1] == value);
        });
    }
    /// The slot with a value, or with none for 0.
    [[nodiscard]] int slot_with(std::uint64_t value) const {
        auto found = std::ranges::find(values_, value);
        return found == values_.end() ? kNone : static_cast<int>(found - values_.begin());
    }

    int load(std::uint64_t value) {
        int to = slot_with(0);
        auto found = std::ranges::find(chain_.inputs, value);
        auto array = static_cast<int>(found - chain_.inputs.begin());
        if (to == kNone || array == kFusedArrays) return kNone;
        if (!add({FusedAction::load, {}, 0, byte(array), byte(to)})) return kNone;
        if (found == chain_.inputs.end()) chain_.inputs.push_back(value);
        values_[to] = value;
        return to;
    }

    bool store(std::uint64_t value, int slot) {
        auto array = static_cast<int>(chain_.outputs.size());
        if (array == kFusedArrays) return false;
        chain_.outputs.push_back(value);
        return add({FusedAction::store, {}, byte(slot), byte(array), 0});
    }

    bool add(const FusedStep& step) {
        auto& program = chain_.program;
        if (program.n_steps == kFusedSteps) return false;
        program.steps[program.n_steps++] = step;
        return true;
    }

    std::span<const FusedNode> nodes_;
    FusedChain& chain_;
    std::array<std::uint64_t, kFusedSlots> values_{};  ///< the value in each slot; 0: none
};

}  // namespace

const char* name_of(ElementCode code) {
    constexpr std::array<const char*, kElementCodes> kNames{
        "add", "subtract", "multiply", "divide",    "min",  "max",        "negate", "abs", "sqrt",
        "exp", "power",    "equal",    "not-equal", "less", "less-equal", "and",    "or"};
    return kNames[static_cast<std::size_t>(code)];
}

bool fuse_nodes(std::span<const FusedNode> nodes, FusedChain& chain) {
    return ChainWriter(nodes, chain).write();
}

}  // namespace tl
