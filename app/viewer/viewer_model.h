// The viewer's state, which commands change, panels show and the loop reads. No GL, no ImGui.
#pragma once

#include <typeinfo>

#include "app/viewer/files/preferences.h"
#include "app/viewer/session_gate.h"
#include "app/viewer/viewer_document.h"
#include "app/viewer/viewer_interface.h"
#include "app/viewer/viewer_options.h"
#include "app/viewer/viewer_status.h"
#include "app/viewer/viewer_view.h"
#include "app/viewer/window/gl_context.h"
#include "session/session.h"
#include "session/session_options.h"

namespace tl {

struct ViewerModel {
    GlContext& context;
    Session& session;
    Preferences& preferences;
    SessionOptions session_options;
    ViewerOptions options;
    ViewerInterface interface;

    SessionGate gate{};
    ViewerDocument document{.pictures = PictureWriter([&context = context] { context.wake(); })};
    ViewerView view{};
    ViewerStatus status{};

    /// The section state of type State. Throws std::bad_cast if there is none.
    template <class State>
    [[nodiscard]] State& state() const {
        for (auto& state : interface.states)
            if (auto* found = dynamic_cast<State*>(state.get())) return *found;
        throw std::bad_cast();
    }
    /// Whether the scene is animated.
    [[nodiscard]] bool moves() const { return session.scene().duration > 0; }
    /// Whether a session of the viewer needs more samples. Only while the gate is open.
    [[nodiscard]] bool wants_samples(Session& of) const {
        bool wanted = !view.paused || of.samples() == 0;
        bool more = options.stop_at == 0 || of.samples() < options.stop_at;
        // Whether a picture is finished is not known before its first sample.
        bool finished = of.samples() > 0 && of.finished();
        return wanted && more && !finished && status.stopped_by.empty();
    }
    /// Whether either side needs more samples. Only while the gate is open.
    [[nodiscard]] bool wants_any_samples() const {
        return wants_samples(session) ||
               (view.compare.second && wants_samples(view.compare.second->session()));
    }
    /// Whether sampling has ended before the denoiser has seen all samples. Only while the gate is
    /// open.
    [[nodiscard]] bool awaits_denoising() const {
        auto awaits = [this](Session& of) {
            return !wants_samples(of) && of.display().awaits_denoising();
        };
        return status.stopped_by.empty() &&
               (awaits(session) || (view.compare.second && awaits(view.compare.second->session())));
    }
    /// Whether more samples will be added, to either side if two are compared.
    [[nodiscard]] bool accumulating() const {
        return gate.open() ? wants_any_samples() : status.sampling;
    }
};

}  // namespace tl
