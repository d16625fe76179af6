"""Opens the model that `numpy_opens_it` wrote, as a user would. Argument: its path."""

import hashlib, json, math, sys, zipfile
import numpy as np
path = sys.argv[1]
z = np.load(path, allow_pickle=False)
assert z.files == "meta.json mean_ explained_variance_ faces cluster_of enrolled_at none labels nobody log.json".split(), z.files
assert z["faces"].dtype == np.uint8 and z["faces"].tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 254, 255]]
assert z["mean_"].dtype == np.float32 and math.isnan(z["mean_"][2]) and z["mean_"][3] == np.inf
assert z["explained_variance_"].tolist() == [1e300, 5e-324]
assert z["cluster_of"].tolist() == [0, 1, 2**32 - 1]
assert z["enrolled_at"].tolist() == [-2**63, 0, 2**63 - 1]
assert z["none"].shape == (0, 7)
assert z["labels"].tolist() == ["Ada Lovelace", "", "孝 𝔸 🦀"], z["labels"]
assert z["nobody"].shape == (0,)
meta = json.loads(z["meta.json"])
assert meta["format_version"] == 1 and meta["threshold"] == 0.1 + 0.2 and meta["recipe"] == "plain – ünïcode"
assert json.loads(z["log.json"]) == ["enrolled 3 faces"]
with zipfile.ZipFile(path) as archive:
    assert archive.testzip() is None
    mark, digest = archive.comment.rsplit(b" ", 1)
    assert mark == b"eigenfaces sha256/256k", mark
data = open(path, "rb").read()
body = data[:-len(archive.comment)]
sha256 = lambda b: hashlib.sha256(b)
assert sha256(b"".join(sha256(body[i:i + 2**18]).digest() for i in range(0, len(body), 2**18))).hexdigest().encode() == digest
# Saved again by NumPy it is no model any more, and says so.
np.savez(path + ".again.npz", **{name: z[name] for name in z.files if not name.endswith(".json")})
