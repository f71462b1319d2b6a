#!/usr/bin/env python3
# %% [markdown]
# # A tour of Treelight
# Notebook cells for Jupyter (with jupytext), VS Code or Spyder; also runs as a script. Run after tools/install-python.

# %%
import numpy as np
import treelight

print(treelight.__version__, treelight.devices())

# %% [markdown]
# ## Factors of a matrix
# Functions take and return NumPy arrays.

# %%
random = np.random.default_rng(1)
a = random.standard_normal((200, 200))
p, lower, upper = treelight.lu(a)
print("A[p] - L U:", np.abs(a[p] - lower @ upper).max())
values = treelight.svdvals(a)
print("condition:", values[0] / values[-1])
b = random.standard_normal((200, 3))
print("A X - B:", np.abs(a @ treelight.solve(a, b) - b).max())

# %% [markdown]
# ## Asynchronous operations
# Operations of a queue return at once. Their operands may be results that do not exist yet.

# %%
queue = treelight.Queue()
with queue.batch():
    x = queue.upload(a)
    y = abs(x @ x.T - 1).sqrt() / 2
    y.read()
print("before it is waited for:", y.state)
print("largest element:", y.numpy().max())

# %% [markdown]
# Errors propagate to all results that depend on the failed operation.

# %%
behind = queue.upload(np.zeros((3, 3))).inverse() + queue.upload(np.eye(3))
try:
    behind.numpy()
except treelight.Error as error:
    print("as expected:", error)

# %% [markdown]
# ## Low-rank approximation of a picture

# %%
scene = treelight.Scene("generate:blob")
picture = treelight.render(scene, width=96, height=64, spp=4)
grey = picture.mean(axis=2).astype(np.float64)
u, s, vt = treelight.svd(grey)
for rank in [1, 4, 16]:
    rest = np.linalg.norm(grey - u[:, :rank] * s[:rank] @ vt[:rank])
    print(f"rank {rank:2d}: {100 * rest / np.linalg.norm(grey):.1f} % are missing")

# %% [markdown]
# ## Turntable

# %%
turn = treelight.render_frames(scene, turntable=4, width=48, height=32, spp=1)
for view, about in zip(turn, turn.info):
    print(f"frame {about['number']} from {np.round(about['eye'], 1)}: mean radiance {view.mean():.3f}")
