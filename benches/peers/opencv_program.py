"""What a user of OpenCV would write instead of `eigenfaces enroll` and `eigenfaces identify`.

opencv_program.py enroll FOLDER MODEL      a sub-folder per person
opencv_program.py identify PHOTO MODEL
"""

import os
import sys

import cv2
import numpy as np


def enroll(folder, model):
    photos, labels = [], []
    people = sorted(os.listdir(folder))
    for label, person in enumerate(people):
        for name in sorted(os.listdir(os.path.join(folder, person))):
            photo = cv2.imread(os.path.join(folder, person, name), cv2.IMREAD_GRAYSCALE)
            if photo is not None:
                photos.append(photo)
                labels.append(label)
    recognizer = cv2.face.EigenFaceRecognizer_create(100)
    recognizer.train(photos, np.array(labels, dtype=np.int32))
    for label, person in enumerate(people):
        recognizer.setLabelInfo(label, person)
    recognizer.write(model)


def identify(photo, model):
    recognizer = cv2.face.EigenFaceRecognizer_create()
    recognizer.read(model)
    label, distance = recognizer.predict(cv2.imread(photo, cv2.IMREAD_GRAYSCALE))
    print(f"{photo}: {recognizer.getLabelInfo(label)} (distance {distance:.1f})")


cv2.setNumThreads(int(os.environ.get("OMP_NUM_THREADS", "2")))
{"enroll": enroll, "identify": identify}[sys.argv[1]](*sys.argv[2:])
