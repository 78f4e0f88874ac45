"""The wording of the `cardinality` suite: five kinds of catalogue, six attributes each, in our own words.

An attribute value has one wording for the entry and at least one other wording for the request, so that matching
words alone does not find the answer. The tables below are the whole of what counts as "the same".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


@dataclass(frozen=True, slots=True)
class Value:
    """``entry``: how the catalogue says it. ``request``: the ways in which a request says the same."""

    entry: str
    request: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Attribute:
    """``clause`` asks for a value, ``before`` names one (in the entry's words) that is no longer wanted."""

    name: str
    clause: str
    before: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """One kind of catalogue. ``attributes``: in the entry's order; the one at ``dial`` has 64 values, the others 8."""

    id: str
    openings: tuple[str, ...]
    closings: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    dial: int


def number_words(n: int) -> str:
    """0 to 199 in English words."""
    if n < 20:
        return SMALL[n]
    if n < 100:
        return TENS[n // 10] + (f"-{SMALL[n % 10]}" if n % 10 else "")
    return "one hundred" + (f" and {number_words(n % 100)}" if n % 100 else "")


def time_words(minutes: int) -> str:
    """Minutes since midnight, in tens, 06:00 to 21:50, as spoken: 940 -> "twenty to four in the afternoon"."""
    hour, minute = divmod(minutes, 60)
    spoken_hour = hour if minute <= 30 else hour + 1
    name = SMALL[(spoken_hour - 1) % 12 + 1]
    part = "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
    if minute == 0:
        return f"{name} o'clock in the {part}" if hour != 12 else "twelve noon"
    if minute == 30:
        return f"half past {name} in the {part}"
    lead = f"{number_words(minute)} past" if minute < 30 else f"{number_words(60 - minute)} to"
    return f"{lead} {name} in the {part}"


def halves_words(n: int) -> str:
    """A count of halves in words: 95 -> "forty-seven and a half"."""
    return number_words(n // 2) + (" and a half" if n % 2 else "")


def dial(numbers: Sequence[int], entry: Callable[[int], str], *request: Callable[[int], str]) -> tuple[Value, ...]:
    """The values of a numeric attribute, one a number."""
    return tuple(Value(entry(n), tuple(say(n) for say in request)) for n in numbers)


def table(*rows: str) -> tuple[Value, ...]:
    """Values from rows "entry = request | another request"."""
    values = []
    for row in rows:
        entry, request = row.split(" = ")
        values.append(Value(entry, tuple(request.split(" | "))))
    return tuple(values)


LOCKERS = Domain(
    id="lockers",
    openings=(
        "I would like to rent a locker at the station.",
        "Could you find me a locker, please?",
        "I start work next door soon and need a locker.",
        "We are moving house and one locker would help us a lot.",
        "My band rehearses nearby, so I am after a locker.",
    ),
    closings=("Anything else will not do.", "Please book it if you have exactly that.", "Thanks for looking."),
    attributes=(
        Attribute(
            "level",
            "it has to be {}",
            "the one I had before was on {}",
            table(
                "level -1 = one storey below the street | directly under street level",
                "level 0 = at street level | where one walks in from the street without any stairs",
                "level 1 = one storey above the street | a single storey up from the street",
                "level 2 = two storeys above the street | up from the street by two storeys",
                "level 3 = three storeys above the street | up from the street by three storeys",
                "level 4 = four storeys above the street | up from the street by four storeys",
                "level 5 = five storeys above the street | up from the street by five storeys",
                "level 6 = six storeys above the street | up from the street by half a dozen storeys",
            ),
        ),
        Attribute(
            "colour",
            "the door should be {}",
            "the door of my old one was {}",
            table(
                "crimson = deep red | dark red",
                "navy = dark blue | very deep blue",
                "ivory = off-white | a creamy kind of white",
                "charcoal = dark grey | nearly black, but still grey",
                "lilac = pale purple | light purple",
                "chocolate = dark brown | deep brown",
                "turquoise = blue-green | halfway between blue and green",
                "lemon = pale yellow | light yellow",
            ),
        ),
        Attribute(
            "lock",
            "I want to {}",
            "I used to have one with a {}",
            table(
                "keypad = type in a code to open it | open it by pressing digits",
                "padlock hasp = bring a padlock of my own | secure it with a padlock that I already own",
                "coin lock = put in a coin that I get back | open it with a coin that comes out again",
                "card reader = hold a plastic pass against it to open it | open it with my membership pass",
                "fingerprint sensor = open it with the touch of a thumb | have it recognise my thumb",
                "number wheel lock = turn little rings with figures to open it | line up rotating figures to open it",
                "phone app lock = open it from my mobile | unlock it by mobile",
                "cylinder lock = use an ordinary metal key | open it with a plain key",
            ),
        ),
        Attribute(
            "inside",
            "inside I need {}",
            "the former one came with this: {}",
            table(
                "mains socket = somewhere to plug in a charger | electricity for charging a battery",
                "coat rail = a bar for clothes hangers | something that takes clothes hangers",
                "two shelves = a pair of boards to put things on | two boards, one over the other",
                "mirror = a looking glass | something to see my face in",
                "drip tray = a shallow basin that catches water | something flat under wet boots to catch the water",
                "lamp = a light | some lighting",
                "air vents = slots that let it breathe | openings for fresh air",
                "document pocket = a flat holder for papers | a sleeve for papers",
            ),
        ),
        Attribute(
            "height",
            "it must measure {} from bottom to top",
            "mine was {} until now",
            dial(
                range(60, 124),
                lambda n: f"{n} cm high",
                lambda n: f"{number_words(n)} centimetres",
                lambda n: f"{n // 100}.{n % 100:02d} m",
            ),
        ),
        Attribute(
            "term",
            "I want to pay {}",
            "so far my contract was {}",
            table(
                "hourly = every sixty minutes | each time sixty minutes have gone by",
                "daily = every twenty-four hours | once per calendar date",
                "weekly = every seven days | once in seven days",
                "fortnightly = every two weeks | every fourteen days",
                "monthly = twelve times a year | on the first of January, the first of February and so on",
                "quarterly = four times a year | every three months",
                "half-yearly = twice a year | every six months",
                "yearly = once every twelve months | each January for the whole of the twelve months",
            ),
        ),
    ),
    dial=4,
)

PARTS = Domain(
    id="spare-parts",
    openings=(
        "We have run out of bolts and I must order some.",
        "Our workshop needs bolts for the next job.",
        "Please look up the right bolts for me.",
        "I am repairing an old press and bolts are missing.",
        "Here is what the customer said about the bolts.",
    ),
    closings=("There is no room for substitutes.", "Only the exact part helps us.", "Please send the matching line."),
    attributes=(
        Attribute(
            "material",
            "they must be made of {}",
            "the wrong delivery was of {}",
            table(
                "brass = an alloy of copper and zinc | copper mixed with zinc",
                "bronze = an alloy of copper and tin | copper mixed with tin",
                (
                    "stainless steel = rust-free metal, mainly iron with chromium | iron alloyed with chromium "
                    "so that it stays rust-free"
                ),
                "nylon = polyamide | the plastic also called polyamide",
                "PTFE = the non-stick plastic known from frying pans | what coats non-stick pans",
                "aluminium = the light metal used for drinks cans | the metal of which most drinks cans consist",
                "cast iron = ferrous metal poured into a mould | ferrous metal that was molten and poured",
                "ceramic = fired clay | clay that was baked in a kiln",
            ),
        ),
        Attribute(
            "head",
            "what we need is the kind with {}",
            "by mistake we had bought another kind, the {}",
            table(
                "hexagon head = six sides at the top | a six-sided top",
                "square head = four equal sides at the top | a four-sided top",
                "countersunk head = a top that sinks flush into the surface | a top that ends level with the surface",
                "dome head = a rounded top like half a ball | a top shaped like half a ball",
                "wing head = two ears for turning by hand | a pair of ears to grip with two fingers",
                "eye head = a ring at the top | a loop at the top that a rope can go through",
                "T head = a crossbar at the top | a top like a capital letter with one crossbar",
                "knurled head = a ribbed grip at the top | a top ribbed all round for a better grip",
            ),
        ),
        Attribute(
            "length",
            "the length has to be {}",
            "the ones that did not fit were {}",
            dial(
                range(35, 99),
                lambda n: f"{n} mm",
                lambda n: f"{number_words(n)} millimetres",
                lambda n: f"{n // 10}.{n % 10} centimetres",
            ),
        ),
        Attribute(
            "count",
            "a packet has to hold {}",
            "last time a packet was a {}",
            table(
                "set of 2 = a pair | one for the left and one for the right",
                "set of 6 = half a dozen | three pairs",
                "set of 12 = a dozen | twice half a dozen",
                "set of 20 = a score | four times five",
                "set of 24 = two dozen | four times six",
                "set of 50 = half a hundred | fifty pieces",
                "set of 100 = a hundred | ten times ten pieces",
                "set of 144 = a gross | twelve dozen",
            ),
        ),
        Attribute(
            "wrapping",
            "they should come {}",
            "the old stock was listed as: {}",
            table(
                "blister card = sealed behind clear plastic | under a clear plastic bubble",
                "paper bag = in a small sack folded from brown kraft | in a brown kraft sack",
                "tin = in a metal box | in a small metal container",
                "glass jar = in a see-through container with a screw lid | in a transparent screw-top container",
                "crate = in a wooden case | nailed up in a wooden case",
                "drawstring pouch = in a cloth purse pulled shut with a cord | in a little sack closed by a cord",
                "cardboard tube = in a round carton | in a rolled carton",
                "loose = without any packaging | unwrapped",
            ),
        ),
        Attribute(
            "origin",
            "it is important that they are of {}",
            "we used to have those from {}",
            table(
                "Portugal = Portuguese make | Portuguese manufacture",
                "Finland = Finnish make | Finnish manufacture",
                "Poland = Polish make | Polish manufacture",
                "Greece = Greek make | Greek manufacture",
                "Denmark = Danish make | Danish manufacture",
                "Spain = Spanish make | Spanish manufacture",
                "Wales = Welsh make | Welsh manufacture",
                "Turkey = Turkish make | Turkish manufacture",
            ),
        ),
    ),
    dial=2,
)

ROOMS = Domain(
    id="meeting-rooms",
    openings=(
        "Please reserve a meeting room for our group.",
        "I am planning a workshop and need a room.",
        "Our usual room is being painted, so we need another one.",
        "Can you see which room suits the committee?",
        "A client visits us and I have to book a room.",
    ),
    closings=("Every point matters.", "Please pick the room that has all of this.", "That is all I know."),
    attributes=(
        Attribute(
            "seats",
            "it must have places for exactly {}",
            "the room we had was for {}",
            table(
                "6 people = half a dozen guests | six guests",
                "8 people = eight guests | four couples",
                "10 people = ten guests | five couples",
                "12 people = a dozen guests | twelve guests",
                "16 people = sixteen guests | eight couples",
                "20 people = a score of guests | twenty guests",
                "24 people = two dozen guests | twelve couples",
                "30 people = thirty guests | fifteen couples",
            ),
        ),
        Attribute(
            "layout",
            "we want {}",
            "what we had last time was this: {}",
            table(
                "rows of chairs = seats one behind the other as in a theatre | theatre seating",
                "one long table = a single long tabletop for everybody | everybody along the same long tabletop",
                "round tables = circular tabletops, as at a wedding | tabletops without corners, as at a banquet",
                "U shape = a horseshoe | everyone placed like a horseshoe",
                "chair circle = a ring of seats with nothing in the middle | everybody in a ring, without any tabletops",
                "bar tables = high stands without seats | high stands at which one does not sit",
                "sofas = couches | upholstered couches",
                "school desks = a classroom | pupils' benches facing a teacher",
            ),
        ),
        Attribute(
            "device",
            "there has to be {}",
            "the former room offered a {}",
            table(
                "projector = a machine that throws slides onto the wall | something that throws slides onto a screen",
                (
                    "whiteboard = a shiny surface for felt pens that wipes clean | something to scribble on with "
                    "dry-wipe pens"
                ),
                "flip chart = an easel with big sheets of paper | a pad of poster-size paper on an easel",
                "conference phone = a device for calls with sound only | a device for group calls without pictures",
                "webcam = a device for calls with picture | something that films us for online calls",
                "lectern = a stand behind which a speaker can read a speech | a pulpit for the speaker",
                "piano = a keyboard instrument with strings | an upright with eighty-eight keys",
                "sink = running water and a basin | a basin with a tap",
            ),
        ),
        Attribute(
            "view",
            "its windows should look out on {}",
            "the old one had a view like this: {}",
            table(
                "courtyard = the inner yard | the yard enclosed by the building",
                "river = the flowing water | the stream with the bridges",
                "car park = the place where drivers leave their vehicles | the parking lot",
                "garden = the lawn and the flower beds | the flower beds",
                "railway = the train tracks | the tracks and the passing trains",
                "market square = the plaza with the stalls | the plaza where traders put up stalls",
                "forest = the woods | woodland full of trees",
                "harbour = the quay with the ships | the ships at the quay",
            ),
        ),
        Attribute(
            "catering",
            "for refreshment we would like {}",
            "the caterer used to bring {}",
            table(
                "coffee = the hot drink from roasted beans | espresso and the like",
                "fruit = apples, pears and grapes | a bowl of apples and grapes",
                "sandwiches = slices of bread with a filling | filled slices of bread",
                "soup = a hot broth | something hot to spoon from a bowl",
                "cake = a sweet sponge in slices | sweet baked things",
                "ice cream = frozen scoops | scoops in a cone",
                "cheese = brie, gouda and cheddar | a platter of brie and cheddar",
                "nuts = almonds, cashews and walnuts | almonds and cashews to nibble",
            ),
        ),
        Attribute(
            "start",
            "we begin at {} sharp",
            "our slot was {}",
            dial(
                range(450, 450 + 640, 10),
                lambda n: f"from {n // 60:02d}:{n % 60:02d}",
                time_words,
                lambda n: f"{(n // 60 - 1) % 12 + 1}.{n % 60:02d} {'a.m.' if n < 720 else 'p.m.'}",
            ),
        ),
    ),
    dial=5,
)

ROUTES = Domain(
    id="courier-routes",
    openings=(
        "I have to add our shop to one of your courier routes.",
        "Which of the courier routes is the one that our dispatcher means?",
        "I was told about a courier route and try to find it again.",
        "A colleague recommended one of your courier routes to me.",
        "Please look for the courier route in these notes.",
    ),
    closings=("All of this was certain.", "Nothing in this is negotiable.", "More was not said."),
    attributes=(
        Attribute(
            "vehicle",
            "the goods travel {}",
            "the {} that did this until spring has been sold",
            table(
                "cargo bike = in a box in front of someone who pedals | by pedal power",
                "lorry = in a truck | by truck",
                "moped = on a small motor scooter | by scooter",
                "barge = on a flat boat along the canal | on the water, in a flat boat",
                "estate car = in a station wagon | by station wagon",
                "drone = through the air without a pilot on board | in a little unmanned aircraft",
                "train = on rails | by rail",
                "horse cart = drawn by an animal with hooves | behind a mare and a stallion",
            ),
        ),
        Attribute(
            "rhythm",
            "the trip is made {}",
            "the first timetable said {}, which was withdrawn",
            table(
                "hourly = every sixty minutes | twenty-four times between midnight and midnight",
                "daily = every twenty-four hours | seven times a week",
                "weekly = once in seven days | fifty-two times a year",
                "fortnightly = once in two weeks | every fourteen days",
                "monthly = twelve times a year | once in January, once in February and so on",
                "quarterly = four times a year | every three months",
                "half-yearly = twice a year | every six months",
                "yearly = once in twelve months | only once between January and December",
            ),
        ),
        Attribute(
            "goods",
            "what is carried is {}",
            "another note that says {} is out of date",
            table(
                "documents = letters and files | paperwork",
                "frozen food = groceries below zero degrees | deep-chilled groceries",
                "medicines = pharmaceuticals | pills and vaccines",
                "flowers = bouquets | roses, tulips and the like",
                "furniture = chairs, beds and wardrobes | beds, chairs and cupboards",
                "laundry = washing | worn shirts and fresh bed linen",
                "glassware = tumblers, vases and bottles | breakable tumblers and vases",
                "books = printed volumes | novels and atlases",
            ),
        ),
        Attribute(
            "distance",
            "the tour is {} long",
            "an old map still says {}",
            dial(
                range(40, 104),
                lambda n: f"{n // 2}.{n % 2 * 5} km",
                lambda n: f"{halves_words(n)} kilometres",
                lambda n: f"{n * 500:,} metres",
            ),
        ),
        Attribute(
            "proof",
            "on arrival {}",
            "the rule about the {} has been dropped",
            table(
                "signature = the receiver writes his or her name | the receiver signs",
                "photo = a picture of the parcel is taken | the driver takes a picture of the parcel",
                "PIN = the receiver says four secret digits | four secret digits are compared",
                "passport check = the receiver shows an identity document | an identity document has to be shown",
                "stamp = the receiver inks the slip with the company seal | the slip gets an inked seal",
                "phone call = the driver rings the receiver up | the receiver is rung up",
                "text message = the receiver gets an SMS | an SMS goes out",
                "doorbell = the driver presses the button at the entrance | the button at the entrance is pressed",
            ),
        ),
        Attribute(
            "terminus",
            "the last stop is {}",
            "the line that ends at the {} was another one",
            table(
                "harbour = the port | where the ships dock",
                "airport = the place with the runways | where the planes land",
                "hospital = the clinic | where the surgeons work",
                "university = the campus | where the professors teach",
                "town hall = the mayor's seat | where the mayor works",
                "stadium = the football ground | where the football team plays at home",
                "library = the house that lends out novels | where one borrows novels",
                "brewery = the place where beer is made | where hops and malt become beer",
            ),
        ),
    ),
    dial=3,
)

SEEDS = Domain(
    id="seed-packets",
    openings=(
        "I want to order one more packet of seeds.",
        "My neighbour swears by a certain seed packet, and I would like the same.",
        "For the school garden we need one particular packet of seeds.",
        "Please find the seed packet that I had two years ago.",
        "There is a gap in my vegetable patch, and I know what belongs there.",
    ),
    closings=("It has to be this one.", "I am sure of all of it.", "Other packets are of no use to me."),
    attributes=(
        Attribute(
            "crop",
            "it contains {}",
            "the packet that I sent back was {}",
            table(
                "aubergine = eggplant | what Americans call eggplant",
                "courgette = zucchini | what Italians call zucchini",
                "rocket = arugula | what Americans call arugula",
                "coriander = cilantro | what Mexicans call cilantro",
                "swede = rutabaga | what Americans call rutabaga",
                "broad bean = fava | what Italians call fava",
                "spring onion = scallion | what Americans call scallion",
                "maize = corn on the cob | what Americans call corn",
            ),
        ),
        Attribute(
            "month",
            "it is sown in {}",
            "the other one, which I do not mean, was marked: {}",
            table(
                "sow in February = the second month of the year | the month before March",
                "sow in March = the third month of the year | the month before April",
                "sow in April = the fourth month of the year | the month before May",
                "sow in May = the fifth month of the year | the month before June",
                "sow in June = the sixth month of the year | the month before July",
                "sow in July = the seventh month of the year | the month before August",
                "sow in August = the eighth month of the year | the month before September",
                "sow in September = the ninth month of the year | the month before October",
            ),
        ),
        Attribute(
            "soil",
            "it is meant for {}",
            "my former garden needed the type for {}",
            table(
                "clay = heavy, sticky earth that potters like | the heavy earth that pots are made of",
                "sand = what children build castles from at the seaside | earth of the kind found on dunes",
                "chalk = white, limy earth | limy earth as on white cliffs",
                "peat = dark bog earth | what is dug from bogs",
                "gravel = earth full of small pebbles | ground made of pebbles",
                "silt = fine mud left by a river | the mud that a flood leaves behind",
                "compost = rotted kitchen scraps and leaves | what the heap of kitchen scraps turns into",
                "rock wool = mineral fibre without any earth | a bed of mineral fibre",
            ),
        ),
        Attribute(
            "spacing",
            "between two plants one leaves {}",
            "the leaflet of the wrong one said {}",
            table(
                "5 cm apart = five centimetres | a twentieth of a metre",
                "10 cm apart = ten centimetres | a tenth of a metre",
                "15 cm apart = fifteen centimetres | a hundred and fifty millimetres",
                "20 cm apart = twenty centimetres | a fifth of a metre",
                "25 cm apart = twenty-five centimetres | a quarter of a metre",
                "50 cm apart = fifty centimetres | half a metre",
                "75 cm apart = seventy-five centimetres | three quarters of a metre",
                "100 cm apart = one metre | a whole metre",
            ),
        ),
        Attribute(
            "strength",
            "it is known to put up with {}",
            "I have no use for what is advertised as proof against {}",
            table(
                "drought = long dry spells | weeks without rain",
                "frost = temperatures below zero | freezing nights",
                "slugs = snails without shells | the slimy animals that eat lettuce at night",
                "aphids = greenfly | tiny green sap-suckers",
                "mildew = a white powdery fungus | the fungus that looks like flour on the leaves",
                "gales = storms | very strong wind",
                "salt = spray from the sea | the white crystals that are strewn on icy roads",
                "shade = places without sun | spots that the sun never reaches",
            ),
        ),
        Attribute(
            "days",
            "from sowing to harvest it takes {}",
            "the one with the label {} is another one",
            dial(
                range(45, 109),
                lambda n: f"{n} days",
                lambda n: f"{number_words(n)} days",
                lambda n: (
                    f"{number_words(n // 7)} weeks"
                    + (f" and {number_words(n % 7)} day{'s' * (n % 7 > 1)}" if n % 7 else "")
                ),
            ),
        ),
    ),
    dial=5,
)

DOMAINS: tuple[Domain, ...] = (LOCKERS, PARTS, ROOMS, ROUTES, SEEDS)
