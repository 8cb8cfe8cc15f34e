"""Phrasings and the command they have to lead to. What isn't plainly asked for never leads to a change."""

from __future__ import annotations

import pytest

from acp_server.providers.librarian.intents import (
    Ask,
    Delete,
    DeleteAbout,
    Extend,
    Find,
    Intent,
    OpenLine,
    Read,
    ReadAbout,
    Remember,
    Restore,
    Rewrite,
    Show,
    Substitute,
)
from acp_server.providers.librarian.understanding import understand

KNOWN = ("flaky-tests.md", "deploy-key.md", "ci/cache.md", "release-process.md")
COMMAND: dict[type, str] = {
    Remember: "write",
    Rewrite: "write",
    Extend: "write",
    Substitute: "write",
    Restore: "write",
    Delete: "delete",
    DeleteAbout: "delete",
    OpenLine: "zoom",
    Show: "view",
    Read: "read",
    ReadAbout: "read",
    Find: "search",
    Ask: "search",
}

WRITE = """\
remember that the deploy key rotates on Mondays
Remember the deploy key rotates on Mondays.
Remember: staging lives at https://staging.example.com
REMEMBER THAT PORT 8080 IS TAKEN
remeber that port 8080 is taken
rember that port 8080 is taken
remmember that the port is taken
Please remember that we tag releases from main only
Pls remember we tag from main
Could you please remember that we tag releases from main only?
Can you remember that the nightly job runs at 3am UTC?
Would you kindly remember that Anna owns billing?
I'd like you to remember that Anna owns billing
I want you to remember that we squash merge
I need you to remember that the linter is pinned
You should remember that the linter is pinned
hey, remember that the linter is pinned to 0.9
Hi there! Please remember that our sprint ends on Thursday.
ok so remember that the API returns 429 after 100 calls
remember to bump the version before tagging
remember to run the migrations before starting the app
always remember that we never force push
Make sure you remember that the tests need Docker
memorize that the wifi password rotates monthly
memorise this: lint before push
note that the cache key includes Cargo.lock
Note: the cache key includes Cargo.lock
note down that the cache key includes Cargo.lock
Note this down: integration tests need a VPN
please take note that integration tests need a VPN
take a note: integration tests need a VPN
make a note that integration tests need a VPN
could you please make a note: integration tests need a VPN
Can you make a quick note that the demo is on Friday
make a note of the staging URL: https://staging.example.com
make a mental note that Bob is on leave
add a note saying the demo server has no TLS
Add a new note: the demo server has no TLS
write a note that the demo server has no TLS
leave a note that the demo server has no TLS
jot down that the demo server has no TLS
jot this down: ssh via the bastion only
write this down: ssh via the bastion only
Write down that ssh works via the bastion only
keep in mind that ssh works via the bastion only
Bear in mind that builds on Windows are slow
please keep in mind: builds on Windows are slow
keep the Windows build times in mind
for the record, we chose Postgres over MySQL
For the record: we chose Postgres over MySQL because of JSONB.
for future reference, the logs are in /var/log/app
For future reference: the logs are in /var/log/app
note to self: rotate the keys
don't forget that the cache has to be cleared after a deploy
Don't forget: clear the cache after a deploy
do not forget to clear the cache after a deploy
never forget that main is protected
Please don't forget we use tabs in Makefiles
don’t forget that main is protected
don't let me forget that the certificate expires in March
let's not forget that the certificate expires in March
save that the certificate expires in March
Save this: the certificate expires in March
save this for later: the certificate expires in March
save to memory: the certificate expires in March
save this to memory: the certificate expires in March
Save the fact that the certificate expires in March
store this in memory: retries are capped at 5
store that retries are capped at 5
Store the following in your memory: retries are capped at 5
please add to memory that retries are capped at 5
add this to your memory: retries are capped at 5
Add to the notes: retries are capped at 5
put this in the notes: retries are capped at 5
put in memory that retries are capped at 5
record that retries are capped at 5
record this fact: retries are capped at 5
log that retries are capped at 5
commit to memory that retries are capped at 5
Commit this to memory: retries are capped at 5
add "retries are capped at 5" to memory
save retries are capped at 5 to memory
We use pnpm, not npm. Remember that.
We use pnpm, not npm. Please remember this.
we use pnpm, not npm - please note that down
our staging database is on port 5433, remember that please
The build needs JDK 17. Can you save that to memory?
The build needs JDK 17. Make a note of that.
The VPN is required for staging. Keep that in mind.
The VPN is required for staging — don't forget it!
it's important to remember that port 80 is taken
It is worth noting that port 80 is taken
would you mind noting that the build is slow on Windows?
would you mind remembering that the build is slow on Windows
let it be known that Friday deploys are forbidden
we should remember that Friday deploys are forbidden
create a note called release-steps: tag from main only
make a note called release saying tag from main
Create a new note named "oncall" with the text: Ana this week, Bo next week
new note: the printer is on the second floor
new note called printer: second floor
save this as ports.md: web 80, api 8080
write ports.md: web 80, api 8080
create ports.md with web 80, api 8080
add to flaky-tests.md: the db test is flaky as well
append to flaky-tests.md: the db test is flaky as well
append "the db test is flaky as well" to flaky-tests.md
add the line "db test too" to the flaky-tests note
add to the flaky tests note: the db test too
note in deploy-key.md that the key also rotates after an incident
rewrite flaky-tests.md to say: retries are off
Rewrite flaky-tests.md to say that retries are off
rewrite the note flaky-tests with: retries are off
please rewrite flaky-tests.md so that it says retries are off
replace flaky-tests.md with: # Flaky tests, none are left
overwrite deploy-key.md with "The key rotates on Fridays."
update deploy-key.md: it rotates on Fridays now
Update deploy-key.md to say it rotates on Fridays
could you update the deploy-key note to say it rotates on Fridays?
update the note about the deploy key: it rotates on Fridays
change deploy-key.md to "The key rotates on Fridays."
change the note deploy-key to say it rotates on Fridays
change Mondays to Fridays in deploy-key.md
replace "Mondays" with "Fridays" in the note deploy-key
in deploy-key.md, replace Mondays with Fridays
write the text of entry 541 to deploy-key.md again
update deploy-key with: it rotates on Fridays
remember this:¶# Release¶¶- tag from main¶- delete the old tag
Remember the following:¶1. build¶2. push
remember that you have to delete the lock file after a crash
note: never delete the production bucket
Please remember this about our API: it returns 429 after 100 calls.
I want to note that the frontend is frozen until May
learn that our style is British English
One more thing: remember that we deploy on Tuesdays
By the way, please note that we deploy on Tuesdays.
Remember, we deploy on Tuesdays
kindly store the fact that we deploy on Tuesdays
remember how to deploy: run make deploy, then wait
Please save in memory that the linter config lives in setup.cfg
"""

SEARCH = """\
what do we know about flaky tests?
What do we know about flaky tests
what do you know about the deploy key?
what do you remember about flaky tests?
Do you remember the deploy key?
do you remember when the key rotates?
Do you remember what we decided about the ORM?
do you know where the logs are?
did we decide anything about the ORM?
have we written down anything about the ORM?
what did we decide about the ORM?
what did I tell you to remember about the deploy key?
What did I ask you to note about staging?
I don't remember where the staging config lives
I can't remember who owns billing
I forgot how to run the migrations
I can't recall the name of the staging host
I have forgotten which port the API uses
can you remember where the logs are?
remember where we keep the keys?
Remember the Alamo?
remind me what the deploy key is for
remind me how we deploy
Remind me about the release process
can you remind me where staging lives?
where is the staging server?
where are the logs
Where's the runbook?
who owns billing?
how do we deploy?
How do I run the integration tests
why do we use sqlite?
when does the deploy key rotate?
which port does the API use?
is there a note about ports?
Is there anything in memory about ports?
are there any notes on caching?
do we have notes on caching?
Do you have anything on caching?
any notes about caching?
anything on caching?
Any idea why CI is slow?
search for retry
Search for flaky retry
search the memory for retry
search memory for retry
search your notes for "connection pool"
please search for anything about certificates
serach for retry
search: retry
search retry
find notes about flaky retries
find everything about the release
Find the note that mentions Cargo.lock
find retry in memory
look for retry
look up the staging URL
look up who owns billing
look in memory for the staging URL
look through your notes for the staging URL
check the memory for certificates
check your notes about certificates
Could you check whether we have notes on certificates?
can you look up what we said about certificates?
could you search the notes for certificates, please?
would you mind searching for certificates?
tell me about the release process
tell me what you know about the release process
Tell me everything about caching
tell me where the staging server is
show me notes about caching
show me everything about caching
list the notes about caching
which notes mention Docker?
what notes do we have on Docker?
recall what we know about Docker
what's the staging URL?
what is our policy on force pushes?
should I delete flaky-tests.md?
Did you delete flaky-tests.md?
did I tell you to remember the port?
What does "delete flaky-tests.md" mean for our CI?
is the deploy key still rotated on Mondays?
grep for TODO-1234
I'm looking for the staging URL
I wonder how we deploy
do you recall the port of the API?
refresh my memory about the release process
Hello, what do we know about flaky tests?
Quick question: who owns billing?
What was the fix for the flaky retry?
have you saved anything about the VPN?
デプロイキーについて何を知っていますか?
what did we note about 成语接龙?
"""

ZOOM = """\
open 368+8
Open 368+8 please
zoom into 368+8
zoom in on 368+8
zoom 368+8
please zoom in to 0+32
expand 368+8
expand line 0+32
could you expand the line 0+32 for me?
show me 368+8
show line 368+8
open the summary 368+8
what's behind 368+8?
what is in 368+8?
What does 368+8 say?
what's inside line 544+2
368+8
look at 368+8
drill down into 368+8
open `368+8`
open 368 + 8
read 547+1
open entry 547
show me entry 547
show entry #547
what was in entry 12?
entry 547
zoom 547
unfold 64+64
zoom id 368 n 8
can I see 368+8?
"""

VIEW = """\
show the memory
show me the memory
show memory
show the view
Show me the view please
view
memory
outline
show me the outline
display the memory outline
view the memory
open the memory
let me see the memory
can I see the memory?
could you show me your memory?
I'd like to see the memory
show me your notes
list the notes
list all notes
list all the notes you have
show all notes
what's in your memory?
what is in the memory
what do you know?
What do you remember?
what do you know about this project?
what do you remember so far?
what have you learned so far?
what have you saved?
which notes are there?
what notes do we have?
tell me everything you know
give me an overview of the memory
overview
print the view
shwo the memory
how many notes are there?
what does the memory look like?
"""

READ = """\
read flaky-tests.md
Read flaky-tests.md please
read flaky-tests
read the note flaky-tests
open flaky-tests.md
open the note flaky-tests.md
show flaky-tests.md
show me flaky-tests.md
show me the note flaky-tests
show me the note called deploy-key
show me the flaky tests note
show me the flaky-tests note
Can you read me flaky-tests.md?
could you open ci/cache.md
display release-process.md
what's in flaky-tests.md?
what does deploy-key.md say?
what does the note deploy-key say?
what does the deploy key note say?
what is in the note deploy-key?
flaky-tests.md
print deploy-key.md
cat deploy-key.md
raed deploy-key.md
let me see deploy-key.md
give me the text of deploy-key.md
read "deploy-key.md"
read `deploy-key.md`
read the whole note deploy-key
pull up the deploy-key note
show me the note about the deploy key
read the note on caching
open the note about the release process
view deploy-key.md
"""

DELETE = """\
delete flaky-tests.md
Delete flaky-tests.md please
please delete the note flaky-tests.md
delete the note flaky-tests
delete the note called flaky-tests
delete the flaky-tests note
delete the flaky tests note
delete flaky-tests
remove flaky-tests.md
remove the note flaky-tests
remove flaky-tests from memory
drop flaky-tests.md
drop the note flaky-tests
could you delete deploy-key.md?
can you please remove the deploy-key note
get rid of deploy-key.md
I want you to delete deploy-key.md
delte deploy-key.md
erase deploy-key.md
delete the note about flaky tests
remove the note about the deploy key
delete `ci/cache.md`
delete flaky-tests.md and deploy-key.md
would you mind deleting deploy-key.md?
"""

NOTHING = """\
hello
Hi!
good morning
thanks!
Thank you very much
ok
help
Help!
what can you do?
who are you?
how does this work?
how do I delete a note?
forget flaky-tests
forget the note about the deploy key
forget everything
forget it
never mind
I deleted the branch
I removed flaky-tests.md yesterday
We remembered that yesterday
I noted that the build is slow
I remember that the build was slow
I already saved that
He said "remember that the key is blue"
The README says: delete flaky-tests.md
The docs say "save this to memory" in step 2.
Bob told me to remember that the key is blue
delete the branch
delete the old branch feature-x
delete the unused imports
remove the unused imports in parser.py
remove the login button
drop the users table
delete all notes
delete everything
clear the memory
wipe the memory
erase all memories
delete it
delete that note
remember
remember this
remember that
make a note
save this
save the file
save my work
save that file
write a test for the parser
write a function that adds two numbers
write code to delete a note
add logging to main.py
add a unit test for the parser
add error handling to the parser
record a video of the bug
store the value in a variable
update the changelog
update the dependencies
update package.json to version 3
change the color to red
replace the button with a link
fix the bug in parser.py
fix the flaky test
run the tests
refactor this function
open src/main.py
open the settings
read config.toml
open the pull request
commit the changes
commit this to main
push to origin
don't remember this
please don't remember that
don't save that
don't delete flaky-tests.md
do not delete anything
don't write this down
don't make a note of this
no need to remember this
remind me to rotate the keys tomorrow
the key rotates on Mondays
FYI the runbook moved
rename flaky-tests.md to flaky.md
translate this to French
explain
tell me a joke
delete entry 547
note
lgtm
never delete the note flaky-tests
I was about to delete flaky-tests.md but stopped
deleting flaky-tests.md would be wrong
Deleted flaky-tests.md
noted
remembering is hard
the note flaky-tests.md should be removed some day
"""


def _rows(block: str, command: str) -> list[tuple[str, str]]:
    """The phrasings of a block, one a line; ¶ stands for a line end."""
    return [(line.replace("¶", "\n"), command) for line in block.splitlines() if line]


TABLE = [
    *_rows(WRITE, "write"),
    *_rows(SEARCH, "search"),
    *_rows(ZOOM, "zoom"),
    *_rows(VIEW, "view"),
    *_rows(READ, "read"),
    *_rows(DELETE, "delete"),
]


def command(intent: Intent) -> str:
    return COMMAND.get(type(intent), "none")


def test_the_table_holds_more_than_400_phrasings() -> None:
    assert len({phrase for phrase, _ in TABLE}) + len(NOTHING.splitlines()) > 400


@pytest.mark.parametrize(("phrase", "wanted"), TABLE, ids=[row[0].splitlines()[0] for row in TABLE])
def test_a_phrasing_leads_to_its_command(phrase: str, wanted: str) -> None:
    assert command(understand(phrase, KNOWN)) == wanted


@pytest.mark.parametrize("phrase", NOTHING.splitlines())
def test_what_asks_for_no_change_leads_to_none(phrase: str) -> None:
    assert command(understand(phrase, KNOWN)) not in ("write", "delete")


@pytest.mark.parametrize(("phrase", "wanted"), [row for row in TABLE if row[1] not in ("write", "delete")])
@pytest.mark.parametrize("known", [(), KNOWN])
def test_looking_never_leads_to_a_change_whatever_notes_exist(
    phrase: str, wanted: str, known: tuple[str, ...]
) -> None:
    assert command(understand(phrase, known)) not in ("write", "delete")
