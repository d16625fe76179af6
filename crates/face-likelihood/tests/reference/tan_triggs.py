"""Reference picture for src/tan_triggs.rs: a bundled face as NumPy normalises it by Tan and Triggs' chain.

Run once: python3 tan_triggs.py ../../../../faces/Ada/1.png .   (numpy and opencv-python-headless are needed)
"""

import sys

import cv2
import numpy as np

face = cv2.imread(sys.argv[1], cv2.IMREAD_GRAYSCALE)


def blurred(picture, sigma):
    size = 2 * int(np.ceil(3 * sigma)) + 1
    return cv2.GaussianBlur(picture, (size, size), sigma, borderType=cv2.BORDER_REPLICATE)


compressed = face.astype(np.float64) ** 0.2
detail = blurred(compressed, 1) - blurred(compressed, 2)
detail /= (np.abs(detail) ** 0.1).mean() ** 10
detail /= (np.minimum(np.abs(detail), 10) ** 0.1).mean() ** 10
cv2.imwrite(f"{sys.argv[2]}/tan-triggs.png", np.round(128 + 127 * np.tanh(detail / 10)).astype(np.uint8))
