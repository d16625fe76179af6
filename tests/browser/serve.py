#!/usr/bin/env python3
"""Uses the page of `eigenfaces serve` in headless Chromium as a person would, by mouse and by keyboard, and fails on
any console message, on a request to elsewhere, and on whatever axe finds.

    tests/browser/serve.py PROGRAM [FOLDER FOR SCREENSHOTS] [AXE.js]

Needs Debian's chromium and chromium-driver; says so and does nothing where they are absent. AXE.js is axe.min.js of the
npm package axe-core; without it accessibility is not looked at.
"""

import base64
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

from driver import Browser, chromedriver, is_here

PROJECT = pathlib.Path(__file__).resolve().parents[2]
ENTER, TAB, ESCAPE = "\ue007", "\ue004", "\ue00c"
KEY = "00000000-0000-4000-8000-000000000000"


class Server:
    def __init__(self, program, folder):
        self.folder = folder
        command = [program, "serve", "--listen", "127.0.0.1:0"]
        environment = {**os.environ, "EIGENFACES_KEY": KEY, "HOME": os.path.join(folder, "home")}
        self.process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, env=environment)
        said = self.process.stderr.readline()
        if "http://" not in said:
            sys.exit(f"{program} serve does not say its address, but: {said}{self.process.stderr.read()}")
        self.page = "http://" + said.split("http://")[1].strip()
        self.origin = self.page.split("/?")[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def says(browser, text):
    browser.wait("return document.getElementById('status').textContent.includes(arguments[0])", text,
                 what=f"{text!r}, but it says {browser.run('return document.getElementById(`status`).textContent')!r}")


def go(browser, view):
    browser.run("location.hash = arguments[0]", view)
    # What a view showed before stands there until it has asked again: a button of it would lose the focus then.
    browser.wait("return document.documentElement.dataset.ready === arguments[0]", view)


def focus(browser, label):
    """Moves the focus to a button by its label, as a screen reader's list of buttons does."""
    browser.wait("const b = document.querySelector(`[aria-label='${arguments[0]}']`); b?.focus(); return !!b", label)


def people(browser):
    return browser.run("return [...document.querySelectorAll('#list h3')].map(h => h.textContent)")


def names(browser):
    return browser.run("return [...document.querySelectorAll('#found .who')].map(e => e.textContent)")


def first_photo(browser):
    """With nobody enrolled: a photo's faces are shown, named, corrected and undone."""
    go(browser, "try")
    browser.run("document.getElementById('file').tabIndex = 0")
    browser.type("#file", str(PROJECT / "assets/scenes/group.png"))
    browser.wait("return document.querySelectorAll('#found li').length > 1", what="faces of the group")
    assert set(name.split(". ")[1] for name in names(browser)) == {"unknown"}, names(browser)
    # The first face waits for its name, and then the next.
    browser.press([*"Nora", ENTER])
    says(browser, "Saved: Nora")
    assert "1. Nora (you said so)" in names(browser), names(browser)
    browser.press([*"Max", ENTER])
    says(browser, "Saved: Max")
    # An enrolled face moves: by a click on it in the photo, and by key.
    browser.run("document.querySelectorAll('.spot')[0].click()")
    browser.wait("return document.querySelectorAll('.chosen .names button').length === 0")
    browser.press([*"Lea", ENTER])
    says(browser, "This is Lea now")
    assert "1. Lea (you said so)" in names(browser), names(browser)
    last = browser.run("return document.querySelectorAll('#found li').length")
    browser.run("document.querySelector(`[aria-label='Name face ${arguments[0]}']`)?.click()", last)
    press(browser, f"Face {last} is nobody I know")
    says(browser, "Left without a name")
    assert f"{last}. nobody you know" in names(browser)
    for undone in ("1 face moved to Lea", "1 face of Max added", "1 face of Nora added"):
        browser.run("document.getElementById('try-undo').click()")
        says(browser, f"Undone: {'Nora merged into Lea' if 'Lea' in undone else undone}")
    assert browser.run("return document.getElementById('summary').textContent") == "nobody is enrolled"
    # Somebody's photo that shows several people.
    go(browser, "people")
    browser.type("#add [name=person]", "Gus")
    browser.type("#add [name=photos]", str(PROJECT / "assets/scenes/group.png"))
    browser.run("document.querySelector('#add button').click()")
    browser.wait("return document.getElementById('which-face').open")
    browser.run("document.querySelectorAll('#which-face-spots button')[1].click()")
    says(browser, "1 photo was added to Gus")
    browser.run("document.getElementById('undo').click()")
    says(browser, "Undone: 1 face of Gus added")


def enrol_by_page(browser):
    go(browser, "people")
    browser.type("#enroll input", str(PROJECT / "faces"))
    browser.press([ENTER])
    says(browser, "112 faces enrolled")
    assert len(people(browser)) == 14, people(browser)


def try_a_photo(browser):
    go(browser, "try")
    browser.run("document.getElementById('file').tabIndex = 0")
    browser.type("#file", str(PROJECT / "assets/probes/ada.png"))
    says(browser, "Ada (")
    label = browser.run("return document.getElementById('photo').getAttribute('aria-label')")
    assert "Ada" in label, label
    focus(browser, "Why face 1")
    browser.press([ENTER])
    browser.wait("return !document.getElementById('why').hidden")


def teach(browser):
    press(browser, "Name face 1")
    browser.press(["1"])
    says(browser, "Saved: Ada")


def change_people(browser):
    go(browser, "people")
    focus(browser, "Rename Boris")
    browser.press([ENTER])
    browser.wait("return document.getElementById('ask').open")
    browser.run("document.getElementById('ask-name').select()")
    browser.press([*"<img src=x onerror=alert(1)>", ENTER])
    says(browser, "is called <img src=x onerror=alert(1)> now")
    assert browser.run("return document.querySelectorAll('h3 img').length") == 0, "a name is text"
    label = browser.run("return document.getElementById('undo').textContent")
    assert label == "Undo: Boris renamed <img src=x onerror=alert(1)>", label
    browser.run("document.getElementById('undo').focus()")
    browser.press([ENTER])
    says(browser, "Undone: Boris renamed <img src=x onerror=alert(1)>")
    assert "Boris" in people(browser)
    focus(browser, "Merge Chiara into somebody")
    browser.press([ENTER])
    browser.wait("return document.getElementById('ask').open")
    browser.press([*"Boris", ENTER])
    says(browser, "are Boris's now")
    focus(browser, "Erase Dmitri")
    browser.press([ENTER])
    browser.wait("return document.getElementById('ask').open")
    browser.press([ESCAPE])
    browser.wait("return !document.getElementById('ask').open")
    assert "Dmitri" in people(browser), "leaving it leaves it"
    focus(browser, "Erase Dmitri")
    browser.press([ENTER])
    browser.wait("return document.getElementById('ask').open")
    browser.press([ENTER])
    says(browser, "Dmitri was erased")
    assert len(people(browser)) == 12
    focus(browser, "Faces of Ada")
    browser.press([ENTER])
    browser.wait("return document.querySelectorAll('#list img').length >= 8")


def two_tabs(browser):
    """Another tab changes the gallery; this one is told so, and shows it."""
    browser.run("""
        window.elsewhere = null;
        fetch('/api/v0/people/Esther', {method: 'PUT', body: '{"person":"Esther B."}', headers: {'content-type': 'application/json'}})
            .then(answer => { window.elsewhere = answer.status; });""")
    browser.wait("return window.elsewhere === 200")
    focus(browser, "Rename Farid")
    browser.press([ENTER])
    browser.wait("return document.getElementById('ask').open")
    browser.press([*"x", ENTER])
    says(browser, "changed elsewhere meanwhile")
    assert "Esther B." in people(browser)


def press(browser, label):
    focus(browser, label)
    browser.press([ENTER])


def close(browser, dialog):
    browser.press([ESCAPE])
    browser.wait("return !document.getElementById(arguments[0]).open", dialog)


def loaded(browser, within):
    browser.wait(f"const all = [...document.querySelectorAll('{within} img')];"
                 "return all.length && all.every(i => i.complete && i.naturalWidth > 0)", what=f"pictures in {within}")


def review(browser, scratch):
    """From a folder of mixed photos to photos by person."""
    photos = os.path.join(scratch, "photos")
    os.makedirs(photos)
    for number in (1, 2):
        shutil.copy(PROJECT / f"assets/probes/stranger-{number}.png", photos)
    shutil.copy(PROJECT / "assets/probes/ada.png", photos)
    for number in range(1, 4):
        shutil.copy(PROJECT / f"faces/Farid/{number}.png", os.path.join(photos, f"farid-{number}.png"))
    go(browser, "review")
    browser.type("#folder input", photos)
    browser.press([ENTER])
    browser.wait("return document.querySelectorAll('#singles > li').length === 2", what="two single faces")
    loaded(browser, "#singles")
    # Farid's photos are enrolled; Ada's looks like hers, and counts when that is confirmed.
    browser.wait("return [...document.querySelectorAll('#named-list b')].some(b => b.textContent === 'Farid')")
    press(browser, "Photo of face 1 of stranger-1.png")
    loaded(browser, "#photo-dialog")
    close(browser, "photo-dialog")
    first, second = browser.run("return [...document.querySelectorAll('#singles input')].map(i => i.ariaLabel)")
    focus(browser, first)
    browser.press(list("farid") + [ENTER])
    says(browser, "Farid is enrolled already")
    browser.run("document.activeElement.select()")
    # Twice, as impatient people do.
    browser.press(list("Zoe") + [ENTER, ENTER])
    says(browser, "1 face of Zoe enrolled")
    browser.wait("return document.activeElement.ariaLabel === arguments[0]", second)
    # In a text field X is a letter; elsewhere in the group it ignores it.
    browser.press(["x"])
    browser.wait("return document.activeElement.value === 'x'")
    focus(browser, second.replace("Name of", "Ignore"))
    browser.press(["x"])
    says(browser, "1 face is ignored")
    browser.wait("return document.querySelectorAll('#singles > li').length === 0")
    # Ignored ones return, by undo or from the list.
    label = browser.run("return document.getElementById('review-undo').textContent")
    assert label == "Undo: 1 face ignored", label
    browser.run("document.getElementById('review-undo').click()")
    says(browser, "Undone: 1 face ignored")
    browser.wait("return document.querySelectorAll('#singles > li').length === 1")
    browser.run("document.querySelector('#singles button[aria-label^=Ignore]').click()")
    says(browser, "1 face is ignored")
    browser.run("document.getElementById('ignored-part').open = true")
    browser.run("document.querySelector('#ignored button[aria-label^=Bring]').click()")
    says(browser, "is ignored no longer")
    browser.wait("return document.querySelectorAll('#singles > li').length === 1")
    # All photos of a person, each large with the face framed; sorted, and described.
    press(browser, "All 3 photos of Farid")
    loaded(browser, "#gallery")
    assert browser.run("return document.querySelectorAll('#gallery img').length") == 3
    press(browser, "Photo farid-2.png")
    loaded(browser, "#photo-dialog")
    close(browser, "photo-dialog")
    close(browser, "gallery")
    link = browser.run("return document.querySelector('a[aria-label=\"Download (ZIP): photos of Farid\"]').href")
    size = "return fetch(arguments[0]).then(a => a.arrayBuffer()).then(b => { window.zip = b.byteLength; })"
    browser.run(size.replace("return ", ""), link)
    browser.wait("return window.zip > 1000", what="a ZIP")
    browser.run("document.querySelector('#named details').open = true")
    browser.type("#sort input", os.path.join(scratch, "sorted"))
    browser.press([ENTER])
    says(browser, "3 photos linked into")
    assert os.path.samefile(os.path.join(scratch, "sorted/Farid/farid-1.png"), os.path.join(photos, "farid-1.png"))
    browser.run("document.getElementById('write-xmp').click()")
    says(browser, "names written into")
    assert os.path.exists(os.path.join(photos, "farid-1.png.xmp"))
    # The folder survives a reload.
    browser.run("document.documentElement.dataset.ready = ''; location.reload()")
    browser.wait("return document.documentElement.dataset.ready")
    assert browser.run("return document.querySelector('#folder input').value") == photos
    browser.run("document.querySelector('#folder button:not([type])').click()")
    browser.wait("return document.querySelectorAll('#named-list li').length > 0")


def click(browser, label):
    browser.wait("const b = document.querySelector(`[aria-label='${arguments[0]}']`); b?.click(); return !!b", label)


def choose_folder(browser, button, *names):
    """By the names of folders, from the user's own down."""
    click(browser, button)
    browser.wait("return document.getElementById('chooser').open")
    for name in ("Home", *names):
        click(browser, f"Open {name}")
        browser.wait("return document.getElementById('chooser-path').textContent.endsWith(arguments[0])", name.replace("Home", "home"))


TAKEN = (2019, 7, 14, 10, 30, 0)
# Each face's photo, by row of what is to be named.
ROWS = """return [...document.querySelectorAll('#groups > li, #singles > li')].map(
    row => [...row.querySelectorAll('.picture img')].map(image => image.alt.split(' of ')[1]))"""


def grandchild(browser, server, seen):
    """From an empty model, by a folder of mixed photos, to a ZIP of one child's."""
    family = os.path.join(server.folder, "home/Pictures/Family")
    os.makedirs(family)
    os.makedirs(os.path.join(server.folder, "home/.hidden"))
    names = {"Ada": "Mia", "Keiko": "Ben"}
    for person in names:
        for number in range(1, 9):
            copy = os.path.join(family, f"{person} {number}.png")
            shutil.copy(PROJECT / f"faces/{person}/{number}.png", copy)
            os.utime(copy, (time.mktime((*TAKEN, 0, 0, -1)),) * 2)
    browser.open(server.page)
    browser.wait("return document.documentElement.dataset.ready")
    browser.run("document.querySelector('.choices a[href=\"#review\"]').click()")
    browser.wait("return !document.getElementById('review').hidden")
    choose_folder(browser, "Choose the photo folder", "Pictures")
    problems = seen("chooser")
    folders = browser.run("return [...document.querySelectorAll('#chooser-list button')].map(b => b.textContent)")
    assert folders == ["↑ Up", "Family"], folders
    click(browser, "Open Family")
    browser.wait("return document.getElementById('chooser-path').textContent.endsWith('Family')")
    browser.run("document.getElementById('chooser-use').click()")
    browser.wait("return document.querySelectorAll('#groups > li').length > 1", what="groups")
    loaded(browser, "#groups")
    problems += seen("groups")
    while rows := browser.run(ROWS):
        people = [photo.split()[0] for photo in rows[0]]
        most = max(names, key=people.count)
        for at, person in enumerate(people):
            if person != most:
                browser.run("document.querySelector('#groups > li, #singles > li').querySelectorAll('.picture')[arguments[0]].click()", at)
        browser.run("const i = document.querySelector('#groups > li, #singles > li').querySelector('input'); i.focus(); i.select()")
        browser.press([*names[most], ENTER])
        before = len(rows)
        browser.wait(f"return document.querySelectorAll('#groups > li, #singles > li').length < {before}", what="the next group")
        browser.wait("return document.getElementById('job').hidden")
    problems += seen("named")
    click(browser, "All 8 photos of Mia")
    loaded(browser, "#gallery")
    problems += seen("gallery-of-mia")
    close(browser, "gallery")
    browser.run("""
        window.zip = null;
        fetch(document.querySelector('a[aria-label="Download (ZIP): photos of Mia"]').href)
            .then(answer => answer.bytes()).then(bytes => { window.zip = bytes.toBase64(); });""")
    content = base64.b64decode(browser.wait("return window.zip", what="a ZIP"))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        photos = {os.path.basename(name) for name in archive.namelist()}
        assert photos == {f"Ada {number}.png" for number in range(1, 9)}, photos
        assert {entry.date_time for entry in archive.infolist()} == {TAKEN}, archive.infolist()[0].date_time
    return problems


def explore(browser):
    go(browser, "explore")
    browser.wait("return document.querySelectorAll('#basis img').length === 13")
    browser.wait("return document.querySelectorAll('#sliders input').length === 12")
    browser.run("const k = document.getElementById('k'); k.value = 3; k.dispatchEvent(new Event('input'))")
    told = browser.run("return document.getElementById('rebuilt-says').textContent")
    assert told.startswith("from 3 basis faces: off by ") and "explained" in told, told
    browser.run("const k = document.querySelector('#sliders input'); k.value = 0; k.dispatchEvent(new Event('input'))")
    assert browser.run("return document.querySelector('#sliders output').textContent") == "0"
    browser.run("document.getElementById('scatter').focus()")
    before = browser.run("return document.getElementById('turn').value")
    browser.press(["\ue014"])
    assert browser.run("return document.getElementById('turn').value") != before


def camera(browser, expected):
    go(browser, "try")
    browser.run("document.getElementById('camera').click()")
    if expected == "denied":
        says(browser, "does not let this page use the camera")
    elif expected == "none":
        says(browser, "There is no camera")
    else:
        browser.wait("return document.getElementById('camera-says').textContent.includes(arguments[0])", expected)
        browser.run("document.getElementById('camera-stop').click()")
        browser.wait("return document.getElementById('camera-panel').hidden")


def look(browser, axe):
    """What is wrong with the view that is shown."""
    problems = [wide] if (wide := browser.too_wide()) else []
    if axe:
        browser.devtools("Runtime.evaluate", expression=axe)
        browser.run("window.found = null; axe.run(document).then(r => { window.found = r.violations; })")
        browser.wait("return window.found !== null", what="axe")
        found = browser.run("return window.found.map(v => `${v.id}: ${v.help} ${v.nodes.map(n => n.target).join(' ')}`)")
        problems += [f"axe: {what}" for what in found]
    return problems


def seen(browser, axe, folder, name):
    """What is wrong with what is shown, of which a picture is kept."""
    if folder:
        browser.shot(os.path.join(folder, f"{name}.png"))
    return [f"{name}: {what}" for what in look(browser, axe)]


PAINT = """
    window.painted = null;
    const photo = new Image();
    photo.onload = () => {
        const canvas = new OffscreenCanvas(640, 480), pen = canvas.getContext('2d');
        const width = 400 * photo.width / photo.height;
        pen.fillStyle = 'gray';
        pen.fillRect(0, 0, 640, 480);
        pen.drawImage(photo, (640 - width) / 2, 40, width, 400);
        const { data } = pen.getImageData(0, 0, 640, 480);
        let gray = '';
        for (let at = 0; at < data.length; at += 4) gray += String.fromCharCode(data[at]);
        window.painted = btoa(gray);
    };
    photo.src = 'data:image/png;base64,' + arguments[0];"""


def film(address, folder):
    """A rendered person before the camera, as a Y4M file; the browser itself paints the frame."""
    with Browser(address, 640, 480) as browser:
        photo = (PROJECT / "assets/probes/ada.png").read_bytes()
        browser.run(PAINT, base64.b64encode(photo).decode())
        gray = base64.b64decode(browser.wait("return window.painted", what="a painted frame"))
    path = os.path.join(folder, "ada.y4m")
    no_colour = bytes([128]) * (320 * 240 * 2)
    with open(path, "wb") as file:
        file.write(b"YUV4MPEG2 W640 H480 F10:1 Ip A1:1 C420\n")
        file.write((b"FRAME\n" + gray + no_colour) * 10)
    return path


def visit(address, server, folder, axe):
    problems = []
    with Browser(address, 1280, 900) as browser:
        browser.open(server.page)
        browser.wait("return document.documentElement.dataset.ready")
        assert "token" not in browser.run("return location.href"), "no token stays in the history"
        assert browser.run("return !document.getElementById('start').hidden"), "it begins by asking"
        first_photo(browser)
        enrol_by_page(browser)
        try_a_photo(browser)
        teach(browser)
        change_people(browser)
        two_tabs(browser)
        review(browser, server.folder)
        explore(browser)
        camera(browser, "none")
        # 412 is a refusal that the browser itself writes to the console; for favicon.ico it asks before it has read the page's icon.
        usual = ("412", "/favicon.ico")
        messages = [entry["message"] for entry in browser.log("browser") if not any(it in entry["message"] for it in usual)]
        problems += [f"console: {message}" for message in messages]
        outside = [url for url in browser.asked() if not url.startswith((server.origin, "blob:", "data:", "chrome:"))]
        problems += [f"asked for {url}" for url in outside]
        for scheme in ("light", "dark"):
            browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            for width, height in ((1280, 900), (390, 844)):
                browser.resize(width, height)
                for view in ("start", "try", "people", "review", "explore"):
                    go(browser, view)
                    browser.wait("return document.getElementById('summary').textContent")
                    browser.run("dispatchEvent(new Event('resize'))")
                    problems += seen(browser, axe, folder, f"{view}-{width}-{scheme}")
                    if view == "review":
                        press(browser, "All 3 photos of Farid")
                        loaded(browser, "#gallery")
                        problems += seen(browser, axe, folder, f"gallery-{width}-{scheme}")
                        close(browser, "gallery")
    return problems


def cameras(address, server_of, scratch):
    """With a camera, and with one that may not be used."""
    film_of_ada = film(address, scratch)
    flags = ["--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={film_of_ada}"]
    for more, expected in ((["--use-fake-ui-for-media-stream"], "Ada ("), (["--deny-permission-prompts"], "denied")):
        with server_of() as server, Browser(address, 1280, 900, flags + more) as browser:
            browser.open(server.page)
            browser.wait("return document.documentElement.dataset.ready")
            camera(browser, expected)


def main():
    if not is_here():
        print("skipped: no chromium and chromedriver here (apt-get install chromium chromium-driver)")
        return 0
    program = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    axe = pathlib.Path(sys.argv[3]).read_text() if len(sys.argv) > 3 else None
    with tempfile.TemporaryDirectory() as scratch, chromedriver() as address:
        with Server(program, scratch) as server:
            problems = visit(address, server, folder, axe)
        for width, height in ((1280, 900), (390, 844)):
            with tempfile.TemporaryDirectory() as own, Server(program, own) as server, Browser(address, width, height) as browser:
                problems += grandchild(browser, server, lambda name: seen(browser, axe, folder, f"journey-{name}-{width}"))
        cameras(address, lambda: Server(program, scratch), scratch)
    for problem in problems:
        print(problem)
    print(f"the page: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
